/* The description of vectors that --op, --in, --out and the options of the rule give together. */
#include "vectors.h"

int describe(bnd_vectors *out, vectors *v)
{
    const command *self = v->common.command;
    bnd_error why;
    if (v->op == NULL || v->in.count == 0) {
        return complain(self, "--%s is missing; try 'binade vectors gen --op add --in fp16'",
                        v->op == NULL ? "op" : "in");
    }
    const bnd_format *result = v->out_given ? &v->out : &v->in.items[0];
    int status = refuse_silent_dialect(&v->common, result);
    if (status != GO_ON) {
        return status;
    }
    bnd_rule rule = rule_for(&v->common, result);
    if (bnd_vectors_describe(out, v->op, v->in.items, v->in.count, result, rule, &why) != BND_OK) {
        return complain(self, "%s", why.message);
    }
    out->lab_flags = v->lab_flags;
    return GO_ON;
}
