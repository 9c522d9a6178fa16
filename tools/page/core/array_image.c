/* An image as an array of three planes (red, green, blue), what a format makes of it as pixels, and a picture drawn
 * here for a first look. */
#include "array.h"

#include "answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 4, PLANES = 3 };

static struct image {
    uint32_t width, height;
    bool centred; /* -1 .. 1 instead of 0 .. 1 */
} image;

static const char *answer_count(void)
{
    bnd_lab_json *json = answer_begin();
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_unsigned(json, "count", the_array.count);
    bnd_lab_json_end(json);
    return answer_end();
}

/* Pixels of four bytes become the array. */
const char *EXPORTED(bnd_page_image)(const unsigned char *pixels, uint32_t width, uint32_t height, uint32_t centred)
{
    const uint64_t shape[3] = {PLANES, height, width};
    bnd_error why;
    if (array_begin(bnd_format_at(BND_FORMAT_FP32), shape, 3, &why) != BND_OK) {
        return answer_error(why.message);
    }
    float *x = the_array.x;
    const size_t pixel_count = (size_t)width * height;
    for (size_t i = 0; i < pixel_count; i++) {
        for (size_t c = 0; c < PLANES; c++) {
            float v = (float)pixels[i * CHANNELS + c];
            x[c * pixel_count + i] = centred != 0 ? v / 127.5F - 1 : v / 255;
        }
    }
    the_array.filled = the_array.count;
    image = (struct image){width, height, centred != 0};
    return answer_count();
}

static unsigned char byte_of(float v)
{
    float scaled = v * 255 + 0.5F;
    return (unsigned char)(scaled >= 255 ? 255 : scaled > 0 ? scaled : 0);
}

/* NaN is shown as magenta, which no rounding of a colour is likely to give. */
static void put_pixel(unsigned char *out, const float v[PLANES])
{
    bool is_nan = isnan(v[0]) || isnan(v[1]) || isnan(v[2]);
    for (size_t c = 0; c < PLANES; c++) {
        out[c] = is_nan ? (c == 1 ? 0 : 255) : byte_of(v[c]);
    }
    out[PLANES] = 255;
}

/* What the format makes of the image: `gain` 0 shows the values, any other number half grey plus so many times the
 * error. */
const char *EXPORTED(bnd_page_image_through)(unsigned char *out, const char *name, const char *rounding,
                                             const char *overflow, uint32_t seed, double gain)
{
    const array *a = &the_array;
    const size_t pixel_count = (size_t)image.width * image.height;
    array_line line;
    bnd_error why;
    if (pixel_count == 0 || a->count != PLANES * pixel_count || a->wide) {
        return answer_error("there is no image");
    }
    float *y = malloc(a->count * sizeof *y);
    bnd_status status = y != NULL ? array_line_open(&line, name, rounding, overflow, seed, &why)
                                  : bnd_fail(&why, BND_NO_MEMORY, 0, "no memory for the image");
    status = status == BND_OK ? array_apply(y, &line, &why) : status;
    if (status != BND_OK) {
        free(y);
        return answer_error(why.message);
    }
    const float *x = a->x, range = image.centred ? 0.5F : 1;
    for (size_t i = 0; i < pixel_count; i++) {
        float v[PLANES];
        for (size_t c = 0; c < PLANES; c++) {
            size_t at = c * pixel_count + i;
            v[c] = gain != 0 ? 0.5F + (float)gain * range * (y[at] - x[at]) : image.centred ? (y[at] + 1) / 2 : y[at];
        }
        put_pixel(out + i * CHANNELS, v);
    }
    free(y);
    return answer_count();
}

/* ---- the picture ---- */

static float mix(float a, float b, float t)
{
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return a + (b - a) * t;
}

/* A sky that becomes dark, a lit ball, rings that grow finer, and a ramp from black to white: smooth shades show steps,
 * dark ones show underflow. */
static void colour_at(float out[PLANES], float u, float v)
{
    float sky = v / 0.8F, dx = u - 0.34F, dy = (v - 0.4F) * 0.75F, d = sqrtf(dx * dx + dy * dy);
    const float top[PLANES] = {0.02F, 0.05F, 0.16F}, low[PLANES] = {0.95F, 0.62F, 0.38F};
    const float ball[PLANES] = {0.90F, 0.24F, 0.16F};
    for (size_t c = 0; c < PLANES; c++) {
        out[c] = mix(top[c], low[c], sky * sky);
    }
    if (d < 0.2F) {
        float nx = dx / 0.2F, ny = dy / 0.2F, nz = sqrtf(fmaxf(0, 1 - nx * nx - ny * ny));
        float light = fmaxf(0, -0.5F * nx - 0.55F * ny + 0.67F * nz);
        for (size_t c = 0; c < PLANES; c++) {
            out[c] = ball[c] * (0.04F + 0.9F * light) + 0.6F * powf(light, 24);
        }
    }
    float rx = u - 0.78F, ry = (v - 0.38F) * 0.75F, r = sqrtf(rx * rx + ry * ry);
    if (r < 0.17F) {
        float wave = 0.5F + 0.5F * cosf(r * r * 2600);
        for (size_t c = 0; c < PLANES; c++) {
            out[c] = mix(0.05F + 0.1F * (float)c, 0.95F - 0.25F * (float)c, wave);
        }
    }
    if (v > 0.8F) {
        for (size_t c = 0; c < PLANES; c++) {
            bool mine = v < 0.87F || (size_t)((v - 0.87F) / 0.0434F) == c;
            out[c] = mine ? u * u : 0;
        }
    }
}

void EXPORTED(bnd_page_image_draw)(unsigned char *out, uint32_t width, uint32_t height)
{
    for (uint32_t j = 0; j < height; j++) {
        for (uint32_t i = 0; i < width; i++) {
            float v[PLANES];
            colour_at(v, ((float)i + 0.5F) / (float)width, ((float)j + 0.5F) / (float)height);
            put_pixel(out + ((size_t)j * width + i) * CHANNELS, v);
        }
    }
}
