/* The page's own reading of JSON. Its names are those of jansson, so that they get others here. */
#define json_loadb             page_json_loadb
#define json_decref            page_json_decref
#define json_string_value      page_json_string_value
#define json_string_length     page_json_string_length
#define json_integer_value     page_json_integer_value
#define json_number_value      page_json_number_value
#define json_array_size        page_json_array_size
#define json_array_get         page_json_array_get
#define json_object_size       page_json_object_size
#define json_object_get        page_json_object_get
#define json_object_iter       page_json_object_iter
#define json_object_iter_next  page_json_object_iter_next
#define json_object_iter_key   page_json_object_iter_key
#define json_object_iter_value page_json_object_iter_value
#define jansson_version_str    page_jansson_version_str

#include "../../tools/page/core/jansson.c"
#include "../../tools/page/core/jansson_read.c"
#include "../../tools/page/core/jansson_words.c"

#define DESCRIBE describe_page
#include "describe_template.h"
