/* Verdicts: computed from what is reported and what was measured, never written by hand. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/scene/scalar.h"
#include "reproduce.h"

const char *tp_verdict_name(tp_verdict verdict)
{
    static const char *const names[] = {"agrees", "agrees after the erratum", "differs", "missing"};
    return (unsigned)verdict < sizeof names / sizeof names[0] ? names[verdict] : "?";
}

double tp_printed_precision(const char *text)
{
    if (!tp_text_is_number(text)) return NAN;
    int decimals = 0;
    bool has_point = false;
    const char *c = text;
    for (; *c != '\0' && *c != 'e' && *c != 'E'; c++) {
        if (has_point && isdigit((unsigned char)*c)) decimals++;
        if (*c == '.') has_point = true;
    }
    int exponent = *c != '\0' ? atoi(c + 1) : 0;
    return 0.5 * pow(10.0, exponent - decimals);
}

/* Whether the measured value is what a text says; *allowed_out: the tolerance, NaN for words. */
static bool is_said(const char *text, double tolerance, double number, const char *word, double *allowed_out)
{
    double precision = tp_printed_precision(text);
    *allowed_out = NAN;
    if (isnan(precision)) return isnan(number) && strcmp(text, word) == 0;
    *allowed_out = isnan(tolerance) ? precision : tolerance;
    /* A value that lies on the edge to the last bit is printed as the document prints it. */
    double rounding = 1e-12 * (fabs(number) + precision);
    return fabs(number - strtod(text, NULL)) <= *allowed_out + rounding; /* NaN: false */
}

tp_verdict tp_check_judge(const tp_check *check, double number, const char *word, double *allowed_out)
{
    double ignored;
    *allowed_out = NAN;
    if (check->reported) {
        if (is_said(check->reported, check->tolerance, number, word, allowed_out)) return TP_VERDICT_AGREES;
    } else if (!isnan(number) && !(number < check->above) && !(number > check->below)) {
        return TP_VERDICT_AGREES;
    }
    if (check->corrected && is_said(check->corrected, check->tolerance, number, word, &ignored))
        return TP_VERDICT_AFTER_ERRATUM;
    return TP_VERDICT_DIFFERS;
}
