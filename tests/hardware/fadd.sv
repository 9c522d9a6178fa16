// An IEEE adder of E exponent bits and F fraction bits: to nearest, ties to even, one NaN.
// `mut` puts one fault in; 0 is right. Each fault is described where it is made.
module fadd #(parameter int E = 5, parameter int F = 10) (
    input  logic [E+F:0] a, b,
    input  logic [7:0]   mut,
    output logic [E+F:0] y,
    output logic [4:0]   flags  // invalid, division by zero, overflow, underflow, inexact
);
    localparam int P = F + 1;              // bits of a significand
    localparam int W = P + 3;              // with guard, round and sticky bits
    localparam int TOP = (1 << E) - 1;     // the field of infinities and NaNs
    localparam int LIMIT = F + 4;          // a shift by more leaves the sticky bit alone
    localparam logic [E+F:0] NAN = {1'b0, {(E+1){1'b1}}, {(F-1){1'b0}}};

    // ---- operands ----
    logic [E-1:0] ea, eb;
    logic [F-1:0] fa, fb;
    logic sa, sb, nan_a, nan_b, signal_a, signal_b, inf_a, inf_b, zero_a, zero_b;
    always_comb begin
        {sa, ea, fa} = a;
        {sb, eb, fb} = b;
        nan_a = &ea && fa != 0;
        nan_b = &eb && fb != 0;
        signal_a = nan_a && !fa[F-1];
        signal_b = nan_b && !fb[F-1];
        inf_a = &ea && fa == 0;
        inf_b = &eb && fb == 0;
        zero_a = ea == 0 && (fa == 0 || mut == 15);  // 15: subnormal operands are taken for zeros
        zero_b = eb == 0 && (fb == 0 || mut == 15);
    end

    // ---- the larger operand first, the smaller one moved to it ----
    logic swap, sx, sy, subtract;
    logic [E-1:0] fieldx, fieldy;
    logic [F-1:0] fractionx, fractiony;
    logic [P-1:0] mx, my;
    int ex, ey, distance, moved;
    logic [W+LIMIT:0] wide;
    logic [W-1:0] x, s;
    logic sticky;
    always_comb begin
        swap = {eb, fb} > {ea, fa};
        if (mut == 42) swap = eb > ea;  // 42: fractions of one exponent are not compared
        {sx, fieldx, fractionx} = swap ? b : a;
        {sy, fieldy, fractiony} = swap ? a : b;
        mx = {fieldx != 0, fractionx};
        my = {fieldy != 0, fractiony};
        if (mut == 14) my[F] = 1;  // 14: a subnormal number has a hidden bit
        ex = fieldx == 0 ? 1 : int'(fieldx);
        ey = fieldy == 0 ? 1 : int'(fieldy);
        if (mut == 12 && fieldy == 0) ey = 0;                 // 12: the exponent of a smaller subnormal is 0, not 1
        if (mut == 13 && fieldx != 0 && fieldy == 0) ex += 1;  // 13: the larger one is one too large beside a subnormal
        if (mut == 65 && fieldx == E'(TOP / 3)) ex += 1;       // 65: one exponent of the larger operand is decoded wrongly
        if (mut == 66 && fieldy == E'(TOP / 3 + 1)) ey += 1;   // 66: one of the smaller operand
        if (mut == 15 && fieldy == 0) my = 0;
        if (mut == 15 && fieldx == 0) mx = 0;
        subtract = sx != sy;
        distance = ex - ey;
        if (mut == 11) distance = distance & ((1 << (E - 1)) - 1);  // 11: the distance lacks its top bit
        if (mut == 62 && distance == F / 2) distance += 1;          // 62: one distance is decoded wrongly
        if (mut == 63 && distance > 3 && distance < F) distance = distance & ~2;  // 63: one stage of the shifter fails
        moved = distance > LIMIT ? LIMIT : distance;
        if (mut == 49 && moved > F + 1) moved = F + 1;              // 49: the shifter ends two places early
        wide = {my, 3'b0, {(LIMIT + 1){1'b0}}} >> moved;
        sticky = |wide[LIMIT+1:0];
        if (mut == 1 && distance > LIMIT) sticky = 0;               // 1: beyond the register's width the sticky bit is lost
        if (mut == 2) sticky = 0;                                   // 2: no sticky bit
        if (mut == 3) sticky = |wide[LIMIT+1:LIMIT/2];              // 3: the sticky bit sees half of what it should
        if (mut == 50 && distance == F + 2) sticky = 0;             // 50: it is lost at one distance
        if (mut == 41 && subtract) sticky = 0;                      // 41: it is lost in subtractions
        if (mut == 53 && !subtract) sticky = 0;                     // 53: it is lost in additions
        if (mut == 61 && distance > F / 3 && distance < F) sticky = 0;  // 61: it is lost at middling distances
        if (mut == 64 && distance > W + F / 2) sticky = 0;          // 64: it is lost far away
        if (mut == 69 && distance > W && distance <= W + 3 * F / 4) sticky = 0;  // 69: it is lost until twice the width
        x = {mx, 3'b0};
        s = {wide[W+LIMIT:LIMIT+2], sticky};
        if (mut == 4) s[2] = 0;                                     // 4: the guard bit is dropped
        if (mut == 54) s[1] = 0;                                    // 54: the round bit is dropped
    end

    // ---- sum, normalization ----
    logic [W:0] sum;
    logic [W-1:0] n;
    int exponent, left, room;
    always_comb begin
        sum = subtract ? {1'b0, x} - {1'b0, s} : {1'b0, x} + {1'b0, s};
        exponent = ex;
        left = 0;
        room = ex - 1;
        if (mut == 18) room = W;                                    // 18: shifts on below the least exponent
        if (mut == 55) room = ex;                                   // 55: shifts one too far below the least exponent
        if (sum[W]) begin
            n = {sum[W:2], sum[1] | sum[0]};
            if (mut == 19) n[0] = sum[1];                           // 19: a carry shifts the sticky bit out
            if (mut != 20) exponent += 1;                           // 20: a carry leaves the exponent as it is
        end else begin
            for (int i = W - 1; i >= 0; i--) begin
                if (sum[i]) break;
                left++;
            end
            if (mut == 17 && left > F) left = F;                    // 17: the longest left shift is one too short
            if (mut == 67 && left == F / 2) left -= 1;                  // 67: one left shift is decoded wrongly
        if (mut == 56 && left > 1) left = left & ~1;            // 56: long left shifts are even
            if (left > room) left = room;
            n = sum[W-1:0] << left;
            if (mut == 47 && left == 1) n[3] = 0;                   // 47: a shift by one brings in a 0
            exponent -= left;
        end
    end

    // ---- rounding ----
    logic guard, rest, odd, up, inexact;
    logic [P:0] rounded;
    logic [F-1:0] fraction;
    int field;
    logic over;
    always_comb begin
        odd = n[3];
        guard = n[2];
        rest = n[1] | n[0];
        if (mut == 46) rest = n[0];                                 // 46: the round bit is not looked at
        up = guard && (rest || odd);
        if (mut == 5) up = guard;                                   // 5: ties away from zero
        if (mut == 6) up = guard && rest;                           // 6: ties toward zero
        if (mut == 7) up = guard && (rest || !odd);                 // 7: ties to odd
        if (mut == 8) up = 0;                                       // 8: never up
        if (mut == 9) up = guard || rest;                           // 9: always up
        inexact = guard || n[1] || n[0];
        if (mut == 39) inexact = n[1] || n[0];                      // 39: a tie is not inexact
        if (mut == 40 && distance > F + 2) inexact = 0;             // 40: what lies far away is not inexact
        if (mut == 57) inexact = guard || n[1];                     // 57: a sticky bit alone is not inexact
        rounded = {1'b0, n[W-1:3]} + (P + 1)'(up);
        if (mut == 68 && &n[F/2+2:3] && up) rounded = {1'b0, n[W-1:F/2+3], (F/2)'(0)};  // 68: rounding's carry chain is cut
        field = rounded[F] || rounded[P] ? exponent : 0;
        if (mut == 44 && ex == 1) field = 0;                        // 44: two subnormal numbers have no carry
        fraction = rounded[F-1:0];
        if (rounded[P] && mut != 10) field += 1;                    // 10: the carry of rounding is ignored
        if (mut == 16 && field == 0) fraction = 0;                  // 16: subnormal results are flushed
        over = field >= TOP;
        if (mut == 48) over = field > TOP;                          // 48: the limit is one too high
        if (mut == 58) over = field >= TOP - 1;                     // 58: the limit is one too low
        if (mut == 21) over = exponent >= TOP;                      // 21: overflow by rounding is not seen
    end

    // ---- the result ----
    logic sign;
    always_comb begin
        flags = 0;
        sign = sx;
        if (mut == 43) sign = sa;                                   // 43: the sign is the first operand's
        y = {sign, E'(field), fraction};
        flags[0] = inexact;
        if (over) begin
            y = {sign, E'(TOP), F'(0)};
            flags = 5'b00101;
            if (mut == 22) flags = 5'b00001;                        // 22: no overflow flag
            if (mut == 23) flags = 5'b00100;                        // 23: overflow is not inexact
            if (mut == 24) y = {sign, E'(TOP - 1), {F{1'b1}}};      // 24: overflow ends at the largest number
        end
        if (mut == 52 && field == 0 && fraction != 0) flags[1] = 1;  // 52: exact subnormal results underflow
        if (sum == 0) begin
            y = 0;
            y[E+F] = sa & sb;
            if (mut == 34 && zero_a && zero_b) y = 0;               // 34: -0 + -0 is +0
            if (mut == 35 && zero_a && zero_b) y[E+F] = sa | sb;    // 35: +0 + -0 is -0
            if (mut == 36 && !zero_a) y[E+F] = 1;                   // 36: x - x is -0
            if (mut == 37 && !zero_a) y[E+F] = sa;                  // 37: x - x has the first sign
        end else if (mut == 38 && (zero_a || zero_b)) begin
            y[E+F] = 0;                                             // 38: 0 + x is |x|
        end else if (mut == 59 && zero_b) begin
            y = a | 1;                                              // 59: x + 0 has its last bit set
        end
        if (inf_a || inf_b) begin
            y = inf_a ? a : b;
            flags = 0;
            if (mut == 27) y[E+F] = sa;                             // 27: an infinity has the first sign
            if (mut == 51) flags[2] = 1;                            // 51: an infinite operand overflows
            if (inf_a && inf_b && subtract) begin
                y = NAN;
                flags = 5'b10000;
                if (mut == 25) y = a;                               // 25: inf - inf is inf
                if (mut == 26) flags = 0;                           // 26: inf - inf is not invalid
                if (mut == 60) y[E+F] = 1;                          // 60: the NaN of inf - inf is negative
            end
        end
        if ((nan_a || nan_b) && !(mut == 28 && (inf_a || inf_b))) begin  // 28: NaN + inf is inf
            y = NAN;
            flags = {signal_a | signal_b, 4'b0};
            if (mut == 29) y[F-1:0] = nan_a ? fa | NAN[F-1:0] : fb | NAN[F-1:0];  // 29: NaNs keep their payload
            if (mut == 30) y[E+F] = nan_a ? sa : sb;                // 30: NaNs keep their sign
            if (mut == 31) flags = 0;                               // 31: a signaling NaN is not invalid
            if (mut == 32) flags = 5'b10000;                        // 32: a quiet NaN is invalid
            if (mut == 33) flags = {signal_a, 4'b0};                // 33: the second operand's signal is not seen
            if (mut == 45 && nan_b && zero_a) y = 0;                // 45: 0 + NaN is 0
        end
    end
endmodule
