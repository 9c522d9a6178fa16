/* The results of a scan, and what follows from them. */
#ifndef BINADE_SRC_SCAN_RESULTS_H
#define BINADE_SRC_SCAN_RESULTS_H

#include "scan/scan.h"

typedef struct bndi_place {
    size_t at;
    bool stays;
    double distance; /* to the floor, in dB: the least of all candidates */
} bndi_place;

struct bnd_scan {
    bnd_scan_options options;
    bnd_candidate *candidates;
    size_t count; /* candidates */
    bnd_scanned *tensors;
    bnd_loss *losses;
    bndi_place *order; /* the worst first */
    size_t tensor_count;
    bnd_scan_total *totals;
    bnd_scan_model model;
    char *name;      /* of an array */
    uint64_t *shape; /* of it */
};

double bndi_ratio_in_db(double signal, double noise);

/* Sets SQNR and verdict. */
void bndi_judge_loss(bnd_loss *loss, const bnd_scanned *tensor, const bnd_candidate *candidate);

/* Totals, the order, the model; from all tensors. */
void bndi_conclude(bnd_scan *scan);

#endif
