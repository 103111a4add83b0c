/* A table from libyaml's problems to our texts. Where the same problem has several causes, its context tells
   them apart; the first line that fits counts. */
#include "io/scene/yaml_problem.h"

#include <stddef.h>
#include <string.h>

static const tp_yaml_problem known[] = {
    /* the bytes */
    {"control characters", NULL, "a control character; a scene is plain text (UTF-8)", false},
    {"UTF-8", NULL, "not UTF-8; save the file as UTF-8 text", false},
    {"invalid Unicode character escape", NULL,
     "an escape that is not a character (half of a pair); write the character itself", false},
    {"invalid Unicode character", NULL, "a character that no text may have; save the file as UTF-8 text",
     false},
    /* indentation */
    {"cannot start any token", NULL,
     "a character that cannot begin a value (a tab, @, ` or %); indent with spaces, put texts in quotes",
     false},
    {"tab character", NULL, "a tab in the indentation; indent with spaces", false},
    {"mapping values are not allowed", NULL,
     "a second ': ' in one entry, or an indentation that does not fit; put a text with ': ' in quotes, and "
     "indent keys of one map alike",
     false},
    {"mapping keys are not allowed", NULL, "a '?' where no key can be; write 'key: value'", false},
    {"block sequence entries are not allowed", NULL,
     "a '- ' where no list can begin; begin the list on a new line or write it in brackets [ ]", false},
    {"did not find expected '-'", NULL, "expected a list item; begin each item with '- ' in the same column",
     false},
    {"did not find expected key", NULL,
     "expected a key in the column of the other keys of this map; write 'key: value' and close quotes",
     false},
    {"could not find expected ':'", "simple key", "no ':' behind this key; write 'key: value' on one line",
     false},
    {"could not find expected ':'", NULL, "expected ':'; write 'key: value'", false},
    /* brackets */
    {"did not find expected ',' or ']'", NULL,
     "the list is not closed; separate items with ',' and end with ']'", true},
    {"did not find expected ',' or '}'", NULL,
     "the map is not closed; separate entries with ',' and end with '}'", true},
    {"did not find expected node content", NULL, "expected a value; write a number, a text, [ ] or { }",
     false},
    {"unexpected ':'", NULL, "a ':' inside a text; put the text in quotes", false},
    /* quotes and blocks */
    {"unexpected end of stream", "quoted", "the quote is not closed; end the text with the same quote", true},
    {"unexpected document indicator", NULL, "the quote is still open here; end the text with the same quote",
     true},
    {"unknown escape character", NULL, "no such escape; write \\\\ for a backslash, or use single quotes",
     false},
    {"hexdecimal number", NULL, "an escape without its digits; write like \\x41 or \\u00e9", false},
    {"indentation indicator", NULL, "a block of text cannot have the indentation 0; write | or > alone",
     false},
    {"comment or line break", NULL, "expected the end of the line; begin the text on the next line", false},
    /* anchors, tags, directives: refused anyway */
    {"alphabetic or numeric", "anchor",
     "an anchor (&); write the value where it is needed, texts with & in quotes", false},
    {"alphabetic or numeric", "alias",
     "an alias (*); write the value itself, formulas that begin with * in quotes", false},
    {"", "tag", "a tag (!); remove it, and put a text that begins with ! in quotes", false},
    {"", "directive", "a directive (%) that is not understood; remove the line", false},
    {"incompatible YAML", NULL, "another version of YAML; remove the %YAML line", false},
    {"duplicate %", NULL, "the directive is given twice; remove the line", false},
    {"document start", NULL, "the document has ended here; keep to one document and remove what follows",
     false},
};

const tp_yaml_problem *tp_yaml_problem_find(const char *problem, const char *context)
{
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        bool fits = strstr(problem, known[k].problem) != NULL;
        if (known[k].context) fits = fits && context && strstr(context, known[k].context) != NULL;
        if (fits) return &known[k];
    }
    return NULL;
}
