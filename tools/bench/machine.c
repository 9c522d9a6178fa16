/* Properties of the machine: its name, its caches, its cores; and the array sizes that follow from them. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first line of a small file, without its newline; "" where it cannot be read. */
static void first_line(char *out, int size, const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL || fgets(out, size, file) == NULL) {
        out[0] = '\0';
    }
    if (file != NULL) {
        fclose(file);
    }
    out[strcspn(out, "\n")] = '\0';
}

static size_t from_system(int name)
{
    long bytes = sysconf(name);
    return bytes > 0 ? (size_t)bytes : 0;
}

/* By what Linux tells of the first core: in a virtual machine the C library may count caches of cores that are not
 * there. */
static void look_at_files(bench_machine *machine)
{
    for (int i = 0; i < 8; i++) {
        char path[80], kind[32], level[32], size[32];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/type", i);
        first_line(kind, sizeof kind, path);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level", i);
        first_line(level, sizeof level, path);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        first_line(size, sizeof size, path);
        char *unit = NULL;
        size_t bytes = strtoul(size, &unit, 10);
        bytes <<= *unit == 'K' ? 10 : *unit == 'M' ? 20 : 0;
        if (bytes == 0 || strcmp(kind, "Instruction") == 0) {
            continue;
        }
        machine->l1 = level[0] == '1' ? bytes : machine->l1;
        machine->l2 = level[0] == '2' ? bytes : machine->l2;
        machine->last = bytes > machine->last ? bytes : machine->last;
    }
}

static void look_at_system(bench_machine *machine)
{
#if defined(_SC_LEVEL1_DCACHE_SIZE)
    machine->l1 = from_system(_SC_LEVEL1_DCACHE_SIZE);
    machine->l2 = from_system(_SC_LEVEL2_CACHE_SIZE);
    machine->last = from_system(_SC_LEVEL3_CACHE_SIZE);
#else
    (void)machine;
#endif
}

static void look_at_name(bench_machine *machine)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (file != NULL && machine->cpu[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (colon != NULL && strncmp(line, "model name", 10) == 0) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(machine->cpu, sizeof machine->cpu, "%.63s", colon + 2);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    if (machine->cpu[0] == '\0') {
        snprintf(machine->cpu, sizeof machine->cpu, "unknown processor");
    }
}

void bench_look(bench_machine *machine)
{
    bnd_context context;
    *machine = (bench_machine){0};
    look_at_name(machine);
    look_at_files(machine);
    if (machine->l1 == 0 || machine->l2 == 0) {
        look_at_system(machine);
    }
    machine->l1 = machine->l1 != 0 ? machine->l1 : 32 << 10;
    machine->l2 = machine->l2 != 0 ? machine->l2 : 256 << 10;
    machine->last = machine->last > machine->l2 ? machine->last : machine->l2;
    machine->cores = bnd_context_init(&context, "best", 0, NULL) == BND_OK ? context.threads : 1;
}

static size_t power_below(size_t n)
{
    size_t power = 1;
    while (power <= n / 2) {
        power *= 2;
    }
    return power;
}

/* The number of elements of an fp32 array. The case has a second array of up to the same size, and the copy has two:
 * one of these four fills a quarter of the first-level cache, or an eighth of the second-level cache, which leaves
 * room for other data. Beyond the caches: at least 256 MiB, and at least four times the last cache, but not more
 * than a sixteenth of the memory. */
static size_t elements_of(const char *name, const bench_machine *machine)
{
    if (strcmp(name, "L1") == 0) {
        return power_below(machine->l1 / 4) / 4;
    }
    if (strcmp(name, "L2") == 0) {
        return power_below(machine->l2 / 8) / 4;
    }
    size_t bytes = (size_t)256 << 20, memory = 0;
#if defined(_SC_PHYS_PAGES)
    memory = from_system(_SC_PHYS_PAGES) / 16 * from_system(_SC_PAGESIZE);
#endif
    while (bytes < 4 * machine->last) {
        bytes *= 2;
    }
    while (memory != 0 && bytes > memory && bytes > 4 * machine->l2) {
        bytes /= 2;
    }
    return bytes / 4;
}

bool bench_size_parse(bench_size *out, const char *name, const bench_machine *machine)
{
    *out = (bench_size){.elements = 0};
    if (strcmp(name, "L1") == 0 || strcmp(name, "L2") == 0 || strcmp(name, "memory") == 0) {
        out->elements = elements_of(name, machine);
    } else if (name[0] >= '1' && name[0] <= '9') {
        char *end;
        out->elements = strtoul(name, &end, 10);
        bool good = *end == '\0' && strlen(name) <= 10 && out->elements <= (size_t)1 << 32;
        out->elements = good ? out->elements : 0;
    }
    snprintf(out->name, sizeof out->name, "%.15s", name);
    for (size_t i = 0; out->family == NULL && bench_family_at(i) != NULL; i++) {
        out->family = strcmp(name, bench_family_at(i)->size) == 0 ? bench_family_at(i) : NULL;
    }
    out->beyond_caches = out->family == NULL && 4 * out->elements >= 4 * machine->last;
    return out->elements > 0 || out->family != NULL;
}
