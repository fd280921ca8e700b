/* Pig in plain C, sharing no code with the package: a hand-written reference for the benchmarks.

   All turn totals of all pairs of scores, pairs with the same sum eight side by side, Newton steps until no value of
   the sum moves. What a hold is worth is stored by sums, so that the compiler can make vectors of the eight lanes. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LANES 8
#define PAD 16 /* places for r <= 0, and rows for sums <= 0: the race is won */

static void turns(const double *hold, long width, long sum, long first, const double *bust, double *worth, double *slope)
{
    double w[7][LANES], s[7][LANES]; /* the last six totals, and this one */
    long last = first + LANES - 1;
    for (int j = 0; j < 7; j++)
        for (int l = 0; l < LANES; l++) w[j][l] = 1, s[j][l] = 0;
    for (long k = last, now = 0; k >= 0; k--, now = (now + 1) % 7) {
        const double *held = hold + (PAD + sum - k) * width + PAD + first - k;
        const double *w2 = w[(now + 5) % 7], *w3 = w[(now + 4) % 7], *w4 = w[(now + 3) % 7];
        const double *w5 = w[(now + 2) % 7], *w6 = w[(now + 1) % 7];
        const double *s2 = s[(now + 5) % 7], *s3 = s[(now + 4) % 7], *s4 = s[(now + 3) % 7];
        const double *s5 = s[(now + 2) % 7], *s6 = s[(now + 1) % 7];
        double *here = w[now], *tilt = s[now];
        for (int l = 0; l < LANES; l++) {
            double roll = (bust[l] + w2[l] + w3[l] + w4[l] + w5[l] + w6[l]) / 6;
            double rolled = (1 + s2[l] + s3[l] + s4[l] + s5[l] + s6[l]) / 6;
            int holds = k > 0 && held[l] >= roll;
            here[l] = holds ? held[l] : roll;
            tilt[l] = holds ? 0 : rolled;
        }
        if (k == 0) memcpy(worth, here, sizeof w[0]), memcpy(slope, tilt, sizeof s[0]);
    }
}

/* The value of Pig to `target` at the start. */
double pig(long target)
{
    long width = target + 1 + PAD + LANES, sums = PAD + 2 * target + 1;
    double *hold = malloc(sizeof(double) * sums * width), *line = calloc(5 * (2 * target + LANES), sizeof(double));
    double *guess = line, *bust = guess + 2 * target + LANES, *worth = bust + 2 * target + LANES;
    double *slope = worth + 2 * target + LANES, *next = slope + 2 * target + LANES, value = 0;
    for (long i = 0; i < sums * width; i++) hold[i] = 1;
    for (long sum = 2; sum <= 2 * target; sum++) {
        long low = sum > target ? sum - target : 1, high = sum - low;
        for (long m = low; m <= high; m++) /* from V(m, sum - m - 1), stored for the other player */
            guess[m] = sum > 2 && m < sum - 1 ? 1 - hold[(PAD + sum - 1) * width + PAD + sum - 1 - m] : 0.5;
        for (double moved = 1; moved > 1e-14;) {
            for (long m = low; m <= high; m++) bust[m] = 1 - guess[sum - m];
            for (long m = low; m <= high; m += LANES) turns(hold, width, sum, m, bust + m, worth + m, slope + m);
            moved = 0;
            for (long m = low; m <= high; m++) {
                double p = slope[m], q = slope[sum - m], off = worth[m] - guess[m], other = worth[sum - m] - guess[sum - m];
                next[m] = guess[m] + (off - p * other) / (1 - p * q);
                moved = fmax(moved, fabs(next[m] - guess[m]));
            }
            memcpy(guess + low, next + low, sizeof(double) * (high - low + 1));
        }
        for (long m = low; m <= high; m++) hold[(PAD + sum) * width + PAD + m] = 1 - guess[sum - m];
        value = guess[high];
    }
    free(hold);
    free(line);
    return value;
}
