// An IEEE multiplier of E exponent bits and F fraction bits: to nearest, ties to even, one NaN, tininess after rounding.
// `mut` puts one fault in; 0 is right. Each fault is described where it is made.
module fmul #(parameter int E = 5, parameter int F = 10) (
    input  logic [E+F:0] a, b,
    input  logic [7:0]   mut,
    output logic [E+F:0] y,
    output logic [4:0]   flags  // invalid, division by zero, overflow, underflow, inexact
);
    localparam int P = F + 1;
    localparam int BIAS = (1 << (E - 1)) - 1;
    localparam int TOP = (1 << E) - 1;
    localparam int LIMIT = F + 3;  // a right shift by more leaves the sticky bit alone
    localparam logic [E+F:0] NAN = {1'b0, {(E+1){1'b1}}, {(F-1){1'b0}}};

    // ---- operands, subnormal ones normalized ----
    logic [E-1:0] ea, eb;
    logic [F-1:0] fa, fb;
    logic sa, sb, sign, nan_a, nan_b, signal_a, signal_b, inf_a, inf_b, zero_a, zero_b;
    logic [P-1:0] ma, mb;
    int xa, xb, za, zb;
    always_comb begin
        {sa, ea, fa} = a;
        {sb, eb, fb} = b;
        sign = sa ^ sb;
        if (mut == 41) sign = sa | sb;                          // 41: two minuses make a minus
        nan_a = &ea && fa != 0;
        nan_b = &eb && fb != 0;
        signal_a = nan_a && !fa[F-1];
        signal_b = nan_b && !fb[F-1];
        inf_a = &ea && fa == 0;
        inf_b = &eb && fb == 0;
        zero_a = ea == 0 && (fa == 0 || mut == 14);             // 14: a subnormal first operand is a zero
        zero_b = eb == 0 && (fb == 0 || mut == 15);             // 15: a subnormal second operand is a zero
        ma = {ea != 0, fa};
        mb = {eb != 0, fb};
        za = 0;
        zb = 0;
        for (int i = F; i >= 0; i--) begin
            if (ma[i]) break;
            za++;
        end
        for (int i = F; i >= 0; i--) begin
            if (mb[i]) break;
            zb++;
        end
        if (mut == 51 && za > F - 1) za = F - 1;                // 51: the longest normalization is one too short
        xa = (ea == 0 ? 1 : int'(ea)) - za;
        xb = (eb == 0 ? 1 : int'(eb)) - zb;
        if (mut == 13 && ea == 0) xa -= 1;                      // 13: a subnormal number's exponent is 0, not 1
        if (mut == 52 && zb > 1) xb += 1;                       // 52: normalization of more than one place miscounts
        if (mut == 61 && eb == E'(TOP / 3)) xb += 1;            // 61: one exponent is decoded wrongly
        ma = ma << za;
        mb = mb << zb;
        if (mut == 48 && ea == 0) mb[F] = 0;                    // 48: the hidden bit is lost beside a subnormal number
    end

    // ---- the product, normalized: P bits, a guard bit, what follows ----
    logic [2*P-1:0] product, n;
    int exponent;
    logic from_2;
    always_comb begin
        product = ma * mb;
        if (mut == 50) product[0] = 0;                          // 50: the lowest column of the array is missing
        if (mut == 53) product -= {{(2*P-1){1'b0}}, ma[F/2] & mb[F-1]} << (F/2 + F - 1);  // 53: one partial product is missing
        exponent = xa + xb - BIAS;
        if (mut == 42) exponent = ((exponent + (1 << E)) & ((2 << E) - 1)) - (1 << E);  // 42: E + 1 bits for the exponent: it wraps
        from_2 = product[2*P-1];
        if (mut == 11 && &product[2*P-2:2*P-4]) from_2 = 0;     // 11: some products from 2 on are not normalized
        n = from_2 ? product : product << 1;
        if (from_2 && mut != 12) exponent += 1;                 // 12: their exponent stays
    end

    // ---- subnormal results ----
    logic [2*P+LIMIT:0] wide;
    int right;
    logic tiny_before, tiny, guard_before, rest_before;
    always_comb begin
        tiny_before = exponent < 1;
        right = tiny_before ? 1 - exponent : 0;
        if (mut == 17) right = right & ((1 << $clog2(F + 2)) - 1);  // 17: the shift amount is cut
        if (mut == 54 && right > 1) right -= 1;                 // 54: long shifts are one too short
        if (mut == 55 && right == F) right = F + 1;             // 55: one shift amount is decoded wrongly
        if (mut == 62 && right > F / 2 && right < F) right = right & ~2;  // 62: one stage of the shifter fails
        if (right > LIMIT) right = LIMIT;
        if (mut == 18 && right > F + 1) right = F + 1;          // 18: the longest shifts leave a guard bit
        if (mut == 44 && right > F) right = LIMIT;              // 44: results below the least number go to zero
        wide = {n, {(LIMIT + 1){1'b0}}} >> right;
        // rounded at full precision, does it reach the least normal number?
        guard_before = n[P-1];
        rest_before = |n[P-2:0];
        tiny = tiny_before &&
               !(exponent == 0 && (&n[2*P-1:P]) && guard_before);
        if (mut == 27) tiny = tiny_before;                      // 27: tininess before rounding
    end

    // ---- rounding ----
    logic odd, guard, rest, up, inexact, over;
    logic [P-1:0] kept;
    logic [P:0] rounded;
    logic [F-1:0] fraction;
    int field;
    always_comb begin
        kept = wide[2*P+LIMIT -: P];
        guard = wide[P+LIMIT];
        rest = |wide[P+LIMIT-1:0];
        if (mut == 1) rest = |wide[P+LIMIT-1:LIMIT+F/2];        // 1: the sticky bit sees the upper half
        if (mut == 2 && from_2) rest = |wide[P+LIMIT-1:LIMIT+3];  // 2: from 2 on it misses the lowest bits
        if (mut == 19 && right > 0) rest = |n[P-2:0];           // 19: what the right shift lost is not sticky
        if (mut == 46 && right > 1) rest = wide[P+LIMIT-1] | (|n[P-2:0]);  // 46: only one lost bit is
        if (mut == 3) guard = 0;                                // 3: the guard bit is dropped
        odd = kept[0];
        up = guard && (rest || odd);
        if (mut == 4) up = guard;                               // 4: ties away from zero
        if (mut == 5) up = guard && rest;                       // 5: ties toward zero
        if (mut == 6 && from_2) up = guard && rest;             // 6: the same from 2 on
        if (mut == 7 && !from_2) up = guard && rest;            // 7: the same below 2
        if (mut == 8) up = 0;                                   // 8: never up
        if (mut == 10) up = guard && (rest || !odd);            // 10: ties to odd
        if (mut == 45 && right == F + 1) up = guard;            // 45: half the least number goes up
        if (mut == 56 && right > 0 && guard && !rest) up = 0;   // 56: ties of subnormal results toward zero
        inexact = guard || rest;
        if (mut == 57) inexact = |n[P-1:0];                     // 57: bits that the right shift loses are not inexact
        rounded = {1'b0, kept} + (P + 1)'(up);
        if (mut == 21 && right > 0) begin                       // 21: rounds before the right shift, and again after it
            rounded = {1'b0, n[2*P-1:P]} + (P + 1)'(guard_before && (rest_before || n[P]));
            up = right <= P + 1 ? rounded[right - 1] : 0;
            rounded = right <= P + 1 ? (rounded >> right) : 0;
            rounded = rounded + (P + 1)'(up && (inexact && rest || rounded[0]));
        end
        fraction = rounded[F-1:0];
        field = right > 0 ? int'(rounded[F]) : exponent;
        if (tiny_before && mut == 20) field = 0;                // 20: a subnormal result that rounds to a normal one stays
        if (mut == 63 && &kept[F/2-1:0] && up) rounded = {1'b0, kept[F:F/2], (F/2)'(0)};  // 63: rounding's carry chain is cut
        if (right == 0) begin
            field = exponent;
            if (rounded[P] && mut != 9) field += 1;             // 9: the carry of rounding is ignored
        end
        if (mut == 16 && field == 0) fraction = 0;              // 16: subnormal results are flushed
        over = field >= TOP;
        if (mut == 64) over = over && field < TOP + (1 << (E - 2));  // 64: far overflow wraps
        if (mut == 43) over = field > TOP;                      // 43: the limit is one too high
        if (mut == 22) over = exponent >= TOP;                  // 22: overflow by rounding is not seen
        if (mut == 58) over = field >= TOP - 1;                 // 58: the limit is one too low
    end

    // ---- the result ----
    always_comb begin
        y = {sign, E'(field), fraction};
        flags = {3'b0, tiny && inexact, inexact};
        if (mut == 25) flags[1] = 0;                            // 25: no underflow flag
        if (mut == 26) flags[1] = tiny;                         // 26: exact subnormal results underflow
        if (mut == 28 && tiny) flags[0] = 0;                    // 28: subnormal results are not inexact
        if (over) begin
            y = {sign, E'(TOP), F'(0)};
            flags = 5'b00101;
            if (mut == 23) y = {sign, E'(TOP - 1), {F{1'b1}}};  // 23: overflow ends at the largest number
            if (mut == 24) flags = 5'b00001;                    // 24: no overflow flag
            if (mut == 29) flags = 5'b00100;                    // 29: overflow is not inexact
        end
        if (mut == 47 && ea == 0 && eb == 0) begin              // 47: two subnormal numbers make an exact zero
            y = {sign, (E+F)'(0)};
            flags = 0;
        end
        if (zero_a || zero_b) begin
            y = {sign, (E+F)'(0)};
            flags = 0;
            if (mut == 39) y = 0;                               // 39: zeros are positive
        end
        if (inf_a || inf_b) begin
            y = {sign, E'(TOP), F'(0)};
            flags = 0;
            if (mut == 40) y[E+F] = 0;                          // 40: infinities are positive
            if (mut == 59) flags[2] = 1;                        // 59: an infinite operand overflows
            if (zero_a || (zero_b && mut != 32)) begin          // 32: inf * 0 is inf, while 0 * inf is invalid
                y = NAN;
                flags = 5'b10000;
                if (mut == 30) y = {sign, E'(TOP), F'(0)};      // 30: 0 * inf is inf
                if (mut == 31) flags = 0;                       // 31: 0 * inf is not invalid
                if (mut == 60) y[E+F] = sign;                   // 60: the NaN of 0 * inf has a sign
            end
        end
        if ((nan_a || nan_b) && !(mut == 33 && (inf_a || inf_b)) &&  // 33: NaN * inf is inf
            !(mut == 34 && (zero_a || zero_b))) begin           // 34: NaN * 0 is 0
            y = NAN;
            flags = {signal_a | signal_b, 4'b0};
            if (mut == 35) flags = 0;                           // 35: a signaling NaN is not invalid
            if (mut == 36) flags = 5'b10000;                    // 36: a quiet NaN is invalid
            if (mut == 37) y[E+F] = sign;                       // 37: NaNs have a sign
            if (mut == 38) y[F-1:0] = (nan_a ? fa : fb) | NAN[F-1:0];  // 38: NaNs keep their payload
            if (mut == 49 && nan_a && nan_b) flags = {signal_a, 4'b0};  // 49: a second NaN's signal is not seen
        end
    end
endmodule
