/* binade's laboratory, libbinade-lab: arrays and checkpoints in files, training in any format, costs, references and
 * test vectors. It stands on the number library, which this header includes.
 *
 * The laboratory keeps the rules of <binade.h>. It makes no promise from version to version: link with the version that
 * these headers came with. An engine of tensors, and a run, are used by one thread at a time; every other call is safe
 * from any number of threads at once. */
#ifndef BINADE_LAB_H
#define BINADE_LAB_H

#include <binade.h>

#include <binade-lab/calc.h>
#include <binade-lab/cost.h>
#include <binade-lab/oracle.h>
#include <binade-lab/policy.h>
#include <binade-lab/verify.h>
#include <binade-lab/vectors.h>
#include <binade-lab/store.h>
#include <binade-lab/study.h>
#include <binade-lab/tensor.h>
#include <binade-lab/train.h>

#endif
