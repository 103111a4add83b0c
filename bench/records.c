/* Reading and writing the CSV files. */
#include "records.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const double bench_levels[BENCH_LEVELS] = {1e-4, 1e-8, 1e-12};

static const char header[] = "file,kind,contacts,rows,solver,level,seconds,error,iterations,status";

enum { FIELDS = 10, LINE = 1024 };

bool bench_table_add(bench_table *table, const bench_record *record)
{
    if (table->count == table->capacity) {
        int capacity = 2 * table->capacity + 256;
        bench_record *records = realloc(table->records, (size_t)capacity * sizeof *records);
        if (records == NULL) return false;
        table->records = records;
        table->capacity = capacity;
    }
    table->records[table->count++] = *record;
    return true;
}

void bench_table_free(bench_table *table)
{
    free(table->records);
    *table = (bench_table){0};
}

void bench_write_header(FILE *file)
{
    fprintf(file, "%s\n", header);
}

/* A number that does not exist is an empty field. */
static void write_number(FILE *file, double value)
{
    if (isfinite(value)) fprintf(file, "%.4g", value);
    fputc(',', file);
}

void bench_write_record(FILE *file, const bench_record *record)
{
    fprintf(file, "%s,%s,%d,%d,%s,%.0e,", record->file, record->kind, record->contacts, record->rows,
            record->solver, record->level);
    write_number(file, record->seconds);
    write_number(file, record->error);
    if (record->iterations >= 0) fprintf(file, "%d", record->iterations);
    fprintf(file, ",%s\n", record->status);
    fflush(file);
}

static bool split(char *line, char *fields[FIELDS])
{
    line[strcspn(line, "\r\n")] = '\0';
    for (int i = 0; i < FIELDS; i++) {
        fields[i] = line;
        char *comma = strchr(line, ',');
        if ((comma == NULL) != (i == FIELDS - 1)) return false;
        if (comma == NULL) break;
        *comma = '\0';
        line = comma + 1;
    }
    return true;
}

static double number_or_nan(const char *text)
{
    return text[0] != '\0' ? strtod(text, NULL) : NAN;
}

static bench_record record_of(char *fields[FIELDS])
{
    bench_record record = {.contacts = atoi(fields[2]),
                           .rows = atoi(fields[3]),
                           .level = number_or_nan(fields[5]),
                           .seconds = number_or_nan(fields[6]),
                           .error = number_or_nan(fields[7]),
                           .iterations = fields[8][0] != '\0' ? atoi(fields[8]) : -1};
    snprintf(record.file, sizeof record.file, "%s", fields[0]);
    snprintf(record.kind, sizeof record.kind, "%s", fields[1]);
    snprintf(record.solver, sizeof record.solver, "%s", fields[4]);
    snprintf(record.status, sizeof record.status, "%s", fields[9]);
    return record;
}

bool bench_read_records(const char *path, bench_table *table)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return false;
    }
    char line[LINE], *fields[FIELDS];
    bool is_fine = fgets(line, sizeof line, file) != NULL;
    line[is_fine ? strcspn(line, "\r\n") : 0] = '\0';
    is_fine = is_fine && strcmp(line, header) == 0;
    for (int number = 2; is_fine && fgets(line, sizeof line, file) != NULL; number++) {
        is_fine = split(line, fields);
        if (!is_fine) {
            fprintf(stderr, "%s:%d: expected %d fields\n", path, number, FIELDS);
            break;
        }
        bench_record record = record_of(fields);
        is_fine = bench_table_add(table, &record);
    }
    if (!is_fine) fprintf(stderr, "%s: not a benchmark's CSV file\n", path);
    fclose(file);
    return is_fine;
}

bool bench_is_reached(const bench_record *record)
{
    return strcmp(record->status, BENCH_REACHED) == 0 && isfinite(record->seconds);
}
