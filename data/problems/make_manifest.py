#!/usr/bin/env python3
"""Copies the small problems of a collection here and makes manifest.json, README.md and the table of the tests.

    make_manifest.py COLLECTION     a folder with manifest.json and the files it lists
"""
import json
import pathlib
import shutil
import sys

LIMIT = 200 * 1024  # bytes of a file that is kept here; larger ones are read from the collection itself
HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE.parent.parent / "tests" / "io" / "known_problems.h"
ORIGINS = {
    "siconos/siconos": ("siconos/siconos, numerics test data", "Apache-2.0"),
    "siconos/siconos (history)": ("siconos/siconos, an earlier revision", "Apache-2.0"),
    "FrictionalContactLibrary/fclib": ("FrictionalContactLibrary/fclib, test data", "Apache-2.0"),
    "generated here": ("Tippe, generated", "Apache-2.0"),
    "written here": ("Tippe, crafted", "Apache-2.0"),
}

README = """# One-step problems for tests

Public test data of other projects, unchanged, and a few problems of our own. The formats are described in
`docs/problem-files.md`; `manifest.json` lists kind, sizes, origin and, where it was decided, whether the problem has
a solution. `make_manifest.py` makes this page, the manifest and the table in `tests/io/known_problems.h` from a
larger collection; files above {limit} KiB are not kept here, and tests that want them skip them unless the environment
variable `TIPPE_PROBLEMS` names the folder of the collection.

The problems of siconos/siconos and fclib are under the Apache License 2.0, copyright INRIA and the authors of those
projects; ours are under the licence of this repository.

Files whose origin states no licence are not kept here.

| file | kind | size | origin | licence |
| --- | --- | --- | --- | --- |
"""


def reduced(entry):
    keep = {k: entry[k] for k in ("file", "kind", "d", "nc", "rows", "source") if k in entry}
    if "source" in keep and keep["source"].endswith(" here"):
        keep["source"] = "tippe"
    if "truth" in entry:
        keep["truth"] = {"status": entry["truth"]["status"]}
    return keep


def size_text(entry):
    text = "%d contacts, " % entry["nc"] if "nc" in entry else ""
    text += "%d rows" % entry["rows"]
    return text + (", %d unknowns" % entry["n_dof"] if "n_dof" in entry else "")


def table_line(entry, is_kept):
    diagonal = entry.get("mean_diag_W", entry.get("mean_diag"))
    return '    {"%s", "%s", %d, %d, %d, %d, %r, %s, %s},\n' % (
        entry["file"], entry["kind"], entry.get("d", 0), entry.get("nc", 0), entry["rows"], entry.get("n_dof", 0),
        entry["norm_q"], "-1.0" if diagonal is None else repr(diagonal), "true" if is_kept else "false")


def main(collection):
    entries = json.loads((collection / "manifest.json").read_text())
    kept, readme = [], README.format(limit=LIMIT // 1024)
    table = ("/* Figures of the known problems; made by data/problems/make_manifest.py. */\n"
             "#ifndef TESTS_IO_KNOWN_PROBLEMS_H\n#define TESTS_IO_KNOWN_PROBLEMS_H\n\n#include <stdbool.h>\n\n"
             "typedef struct known_problem {\n    const char *file, *kind;\n"
             "    int dimension, contact_count, row_count, x_count;\n"
             "    double q_norm, mean_diagonal; /* of the local form; -1: not known */\n"
             "    bool is_kept; /* in data/problems, else only in the larger collection */\n} known_problem;\n\n"
             "static const known_problem known_problems[] = {\n")
    for entry in entries:
        path = collection / entry["file"]
        is_kept = path.stat().st_size <= LIMIT and entry["source"] in ORIGINS
        table += table_line(entry, is_kept)
        if not is_kept:
            continue
        target = HERE / entry["file"]
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        kept.append(reduced(entry))
        origin, licence = ORIGINS[entry["source"]]
        readme += "| `%s` | %s | %s | %s | %s |\n" % (entry["file"], entry["kind"], size_text(entry), origin, licence)
    (HERE / "manifest.json").write_text("[\n" + ",\n".join(" " + json.dumps(e) for e in kept) + "\n]\n")
    (HERE / "README.md").write_text(readme)
    TABLE.write_text(table + "};\n\n#endif\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
