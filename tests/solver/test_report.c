/* Why a solve ended, in words: as printf writes it, within the room of a report. */
#include "check.h"
#include "solver/solvers.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

TEST(texts_and_counts_are_written_as_printf_does)
{
    static const int counts[] = {0, 7, 10, 99, 100, 12345, INT_MAX, -1, -10, INT_MIN};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        tp_report report = {.solver = ""};
        char expected[sizeof report.reason];
        snprintf(expected, sizeof expected, "%s (%d sweeps, %d steps)", "E is small", counts[k], 3);
        CHECK_INT(tp_report_end(&report, TP_OK, "%s (%d sweeps, %d steps)", "E is small", counts[k], 3),
                  TP_OK);
        CHECK_INT(report.status, TP_OK);
        CHECK_INT(strcmp(report.reason, expected), 0);
    }
}

TEST(other_formats_are_those_of_the_c_library)
{
    tp_report report = {.solver = ""};
    CHECK_INT(tp_report_end(&report, TP_NOT_CONVERGED, "%d rows: to %.1e, 5 %%, %.3s", 4, 2.5e-3, "abcdef"),
              TP_NOT_CONVERGED);
    CHECK_INT(report.status, TP_NOT_CONVERGED);
    CHECK_INT(strcmp(report.reason, "4 rows: to 2.5e-03, 5 %, abc"), 0);
}

TEST(a_reason_that_is_too_long_is_cut)
{
    tp_report report = {.solver = ""};
    enum { ROOM = sizeof report.reason };
    char text[2 * ROOM];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    tp_report_end(&report, TP_OK, "%s%d", text, 5);
    CHECK_INT((int)strlen(report.reason), ROOM - 1);
    CHECK_INT(report.reason[ROOM - 2], 'x');
}

TEST_MAIN(RUNS(texts_and_counts_are_written_as_printf_does), RUNS(other_formats_are_those_of_the_c_library),
          RUNS(a_reason_that_is_too_long_is_cut))
