/* A table from libyaml's problems to our texts. Where the same problem has several causes, its context tells
   them apart; the first line that fits counts. */
#include "io/scene/yaml_problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct explanation {
    const char *problem, *context; /* parts of libyaml's texts; context NULL: any */
    const char *text;
} explanation;

static const explanation explanations[] = {
    /* the bytes */
    {"control characters", NULL, "a control character; a scene is plain text (UTF-8)"},
    {"UTF-8", NULL, "not UTF-8; save the file as UTF-8 text"},
    {"invalid Unicode character", NULL, "a character that no text may have; save the file as UTF-8 text"},
    /* indentation */
    {"cannot start any token", NULL,
     "a character that cannot begin a value (a tab, @, ` or %); indent with spaces, put texts in quotes"},
    {"tab character", NULL, "a tab in the indentation; indent with spaces"},
    {"mapping values are not allowed", NULL,
     "a second ': ' in one entry, or an indentation that does not fit; put a text with ': ' in quotes, and "
     "indent keys of one map alike"},
    {"mapping keys are not allowed", NULL, "a '?' where no key can be; write 'key: value'"},
    {"block sequence entries are not allowed", NULL,
     "a '- ' where no list can begin; begin the list on a new line or write it in brackets [ ]"},
    {"did not find expected '-'", NULL, "expected a list item; begin each item with '- ' in the same column"},
    {"did not find expected key", NULL,
     "expected a key in the column of the other keys of this map; write 'key: value' and close quotes"},
    {"could not find expected ':'", "simple key", "no ':' behind this key; write 'key: value' on one line"},
    {"could not find expected ':'", NULL, "expected ':'; write 'key: value'"},
    /* brackets */
    {"did not find expected ',' or ']'", NULL,
     "the list in brackets is not closed; separate with ',' and end with ']'"},
    {"did not find expected ',' or '}'", NULL,
     "the map in braces is not closed; separate with ',' and end with '}'"},
    {"did not find expected node content", NULL, "expected a value; write a number, a text, [ ] or { }"},
    {"unexpected ':'", NULL, "a ':' inside a text; put the text in quotes"},
    /* quotes and blocks */
    {"unexpected end of stream", "quoted",
     "the quote that begins before is not closed; end the text with it"},
    {"unexpected document indicator", NULL, "the quote is still open here; end the text with a quote"},
    {"unknown escape character", NULL, "no such escape; write \\\\ for a backslash, or use single quotes"},
    {"hexdecimal number", NULL, "an escape without its digits; write like \\x41 or \\u00e9"},
    {"invalid Unicode character escape", NULL,
     "an escape that is no character (half of a pair); write the character itself"},
    {"indentation indicator", NULL, "a block of text cannot have the indentation 0; write | or > alone"},
    {"comment or line break", NULL, "expected the end of the line; begin the text on the next line"},
    /* anchors, tags, directives: refused anyway */
    {"alphabetic or numeric", "anchor",
     "an anchor (&); write the value where it is needed, texts with & in quotes"},
    {"alphabetic or numeric", "alias",
     "an alias (*); write the value itself, formulas that begin with * in quotes"},
    {"", "tag", "a tag (!); remove it, and put a text that begins with ! in quotes"},
    {"", "directive", "a directive (%) that is not understood; remove the line"},
    {"incompatible YAML", NULL, "another version of YAML; remove the %YAML line"},
    {"duplicate %", NULL, "the directive is given twice; remove the line"},
    {"document start", NULL, "the document has ended here; keep to one document and remove what follows"},
};

const char *tp_yaml_problem_text(const char *problem, const char *context)
{
    for (size_t k = 0; k < sizeof explanations / sizeof explanations[0]; k++) {
        const explanation *known = &explanations[k];
        bool fits = strstr(problem, known->problem) != NULL;
        if (known->context) fits = fits && context && strstr(context, known->context) != NULL;
        if (fits) return known->text;
    }
    return NULL;
}
