/* Reader of the lists of winnable deals that `thoughtful list --format binary` writes, in C99.
 *
 *   cc -std=c99 -O2 -o winnable_list winnable_list.c
 *   ./winnable_list FILE SEED...       prints: SEED yes|no|unknown GRADE
 *   ./winnable_list --digest FILE      checks the file, and sums up all its verdicts
 *
 * The format is specified in docs/lists.md. Public domain (CC0). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { FILE *file; uint64_t first, seeds, block, data; } WinnableList;

static void fail(const char *reason) { fprintf(stderr, "winnable_list: %s\n", reason); exit(1); }

static uint32_t crc32(uint32_t code, const unsigned char *bytes, size_t count) {
    code = ~code;
    for (size_t bit = 0; bit < 8 * count; bit++) {
        if (bit % 8 == 0) code ^= bytes[bit / 8];
        code = code & 1 ? code >> 1 ^ 0xEDB88320u : code >> 1;
    }
    return ~code;
}
static uint64_t number(const unsigned char *at, int bytes) {
    return bytes ? at[0] | number(at + 1, bytes - 1) << 8 : 0;
}
static unsigned char *bytes_at(WinnableList *list, uint64_t at, size_t count) {
    unsigned char *bytes = malloc(count + 1);
    if (!bytes || fseek(list->file, (long)at, SEEK_SET)
        || fread(bytes, 1, count, list->file) != count) fail("the file is truncated");
    return bytes;
}
static uint64_t seeds_in(const WinnableList *list, uint64_t block) {
    uint64_t left = list->seeds - block * list->block;
    return left < list->block ? left : list->block;
}
static uint64_t start_of(const WinnableList *list, uint64_t block) {
    return list->data + block * (2 * (list->block / 8) + list->block + 4);
}
static uint64_t size_of(const WinnableList *list, uint64_t block) {
    return 2 * ((seeds_in(list, block) + 7) / 8) + seeds_in(list, block) + 4;
}

WinnableList list_open(const char *path) {
    WinnableList list = {.file = fopen(path, "rb")};
    if (!list.file) fail("the file cannot be read");
    unsigned char *head = bytes_at(&list, 0, 40);
    if (memcmp(head, "\x89TSL\r\n\x1a\n", 8)) fail("not a list of winnable deals");
    if (number(head + 8, 2) != 1) fail("the version is not known, expected 1");
    uint64_t length = number(head + 12, 4);
    list.first = number(head + 16, 8), list.seeds = number(head + 24, 8);
    list.block = number(head + 32, 4), list.data = 40 + length;
    unsigned char *facts = bytes_at(&list, 40, length); /* JSON: ruleset, dealer, levels … */
    if (crc32(crc32(0, head, 36), facts, length) != number(head + 36, 4) || !list.block)
        fail("the header is damaged");
    uint64_t last = (list.seeds - 1) / list.block, end = start_of(&list, last) + size_of(&list, last);
    if (fseek(list.file, 0, SEEK_END) || (uint64_t)ftell(list.file) != end)
        fail("the file is truncated or too long");
    free(head), free(facts);
    return list;
}

/* "yes", "no" or "unknown", and the grade; three bytes are read. */
const char *list_verdict(WinnableList *list, uint64_t seed, int *grade) {
    uint64_t place = seed - list->first;
    if (seed < list->first || place >= list->seeds) fail("the seed is not in the list");
    uint64_t block = place / list->block, in = place % list->block, start = start_of(list, block);
    uint64_t bits = (seeds_in(list, block) + 7) / 8, at[] = {in / 8, bits + in / 8, 2 * bits + in};
    int bytes[3];
    for (int k = 0; k < 3; k++)
        bytes[k] = fseek(list->file, (long)(start + at[k]), SEEK_SET) ? 0 : fgetc(list->file);
    *grade = bytes[2];
    return bytes[0] >> in % 8 & 1 ? "yes" : bytes[1] >> in % 8 & 1 ? "unknown" : "no";
}

int main(int count, char **words) {
    int digest = count == 3 && !strcmp(words[1], "--digest"), grade;
    if (count < 3) fail("expected FILE SEED... or --digest FILE");
    WinnableList list = list_open(words[digest ? 2 : 1]);
    uint32_t code = 0;
    for (uint64_t at = 0; at < (digest ? list.seeds : (uint64_t)count - 2); at++) {
        if (!digest && words[at + 2][strspn(words[at + 2], "0123456789")])
            fail("a seed is not a whole number");
        uint64_t seed = digest ? list.first + at : strtoull(words[at + 2], NULL, 10);
        if (digest && at % list.block == 0) {
            uint64_t block = at / list.block, size = size_of(&list, block) - 4;
            unsigned char *raw = bytes_at(&list, start_of(&list, block), size + 4);
            if (crc32(0, raw, size) != number(raw + size, 4)) fail("a block is damaged");
            free(raw);
        }
        char line[64];
        const char *verdict = list_verdict(&list, seed, &grade);
        sprintf(line, "%" PRIu64 " %s %d\n", seed, verdict, grade);
        code = crc32(code, (unsigned char *)line, strlen(line));
        if (!digest) fputs(line, stdout);
    }
    return digest && printf("%" PRIu64 " seeds, crc32 %08" PRIx32 "\n", list.seeds, code) < 0;
}
