/* The writers: bytes of a file for a problem. */
#ifndef TP_IO_EXCHANGE_PROBLEM_WRITE_H
#define TP_IO_EXCHANGE_PROBLEM_WRITE_H

#include "base/arena.h"
#include "io/common/text.h"
#include "io/exchange/layout.h"

/* TP_UNSUPPORTED, with the kinds that the format has, when the problem cannot be said in it. */
tp_status tp_dat_write(const tp_problem *problem, const char *path, tp_text *text, tp_message *why);
tp_status tp_general_write(const tp_problem *problem, const char *path, tp_text *text, tp_message *why);
tp_status tp_fclib_write(tp_arena *arena, const tp_problem *problem, const char *path, void **bytes_out,
                         size_t *count_out, tp_message *why);

#endif
