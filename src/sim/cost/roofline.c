/* Is a matrix product bound by arithmetic or by memory? Compares its FLOPs per byte with the FLOPs that the machine
 * computes in the time it moves one byte. */
#include "cost/cost.h"

#include "base/base.h"

/* Bits of an element, its scale included; of what peaks are called (fp8, fp4), by its name. */
static bnd_status bits_of(double *out, const char *format, bnd_error *why)
{
    bnd_format f;
    bnd_block block;
    bool scaled;
    size_t length = bndi_length(format);
    if (length == 3 && bndi_same(format, 2, "fp", 2) && format[2] >= '4' && format[2] <= '8') {
        *out = format[2] - '0';
        return BND_OK;
    }
    bnd_status status = bndi_element_parse(&f, &block, &scaled, format, why);
    if (status == BND_OK) {
        *out = bndi_bits(&f) + (scaled ? 8 * bndi_scale_bytes_each(&block) : 0);
    }
    return status;
}

static bnd_status check(double m, double n, double k, const bnd_machine *machine, bnd_error *why)
{
    const double sides[] = {m, n, k};
    for (int i = 0; i < 3; i++) {
        bnd_status status = bndi_at_least(sides[i], 1, "a side of a matrix", why);
        if (status != BND_OK) {
            return status;
        }
    }
    return bndi_at_least(machine->bandwidth, 1, "a machine's bandwidth", why);
}

bnd_status bnd_cost_roofline(bnd_cost *out, double m, double n, double k, const bnd_machine *machine,
                             const char *format, const char *result, bool sparse, bnd_error *why)
{
    bnd_cost c = {.steps = 0};
    double peak, in, to = 16;
    bnd_status status = check(m, n, k, machine, why);
    status = status == BND_OK ? bnd_machine_peak(&peak, machine, format, sparse, why) : status;
    status = status == BND_OK ? bits_of(&in, format, why) : status;
    if (status == BND_OK && result != NULL) {
        status = bits_of(&to, result, why);
    } else if (status == BND_OK && in >= 16) {
        to = in;
    }
    if (status != BND_OK) {
        return status;
    }
    double flops = 2 * m * n * k, bytes = (m * k + k * n) * in / 8 + m * n * to / 8;
    double intensity = flops / bytes, ridge = peak / machine->bandwidth;
    double computing = flops / peak, moving = bytes / machine->bandwidth;
    bool by_compute = intensity >= ridge;
    bndi_cost_step(&c, "compute", "FLOP", flops, "2 M N K", "2 x # x # x #", m, n, k);
    bndi_cost_step(&c, "bytes", "B", bytes, "(M K + K N) b + M N b'", "(# + #) x # + # x #", m * k, k * n, in / 8,
                   m * n, to / 8);
    bndi_cost_step(&c, "intensity", "FLOP/B", intensity, "compute / bytes", "# / #", flops, bytes);
    bndi_cost_step(&c, "ridge", "FLOP/B", ridge, "peak / bandwidth", "# / #", peak, machine->bandwidth);
    bndi_cost_step(&c, "computing", "s", computing, "compute / peak", "# / #", flops, peak);
    bndi_cost_step(&c, "moving", "s", moving, "bytes / bandwidth", "# / #", bytes, machine->bandwidth);
    bndi_cost_step(&c, "seconds", "s", by_compute ? computing : moving, "the longer of the two", "$",
                   by_compute ? "computing" : "moving");
    bndi_cost_step(&c, "reachable", "FLOP/s", by_compute ? peak : intensity * machine->bandwidth,
                   "min(peak, intensity x bandwidth)", "min(#, # x #)", peak, intensity, machine->bandwidth);
    bndi_cost_answer(&c, "reachable", "the FLOP/s that this matrix product can reach");
    bndi_cost_note(&c,
                   by_compute ? "bound by compute: # FLOP per byte; the machine can do # per byte that it moves"
                              : "bound by bandwidth: # FLOP per byte; the machine can do # per byte that it moves",
                   intensity, ridge);
    bndi_cost_note(
        &c, "not counted: the finite size of caches (each matrix is moved once here), and tiles at the edges that are "
            "not full");
    if (by_compute) {
        bndi_cost_note(&c,
                       "PyTorch 2.11 reached 0.75 to 0.95 of an H200's peaks, by format, in products of sides 8192");
    }
    bndi_cost_machine_note(&c, machine, format, peak, sparse);
    *out = c;
    return BND_OK;
}
