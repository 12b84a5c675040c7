// SPDX-License-Identifier: MIT
// Reading files that are not what they seem, output put together piece by piece, and quotations fit for a terminal.
#define _XOPEN_SOURCE 700
#include "tact/text.h"

#include <math.h>
#include <fcntl.h>
#include <locale.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "scene/utf8.h"
#include "test.h"

static char folder[200];

static const char *path_of(const char *name) {
    static char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

// the one message of a file that is not read, without the path, and the exit code
static void check_unread(const char *path, const char *reason, int exit_code, int line) {
    static tact_errors errors;
    tact_text text = {0};
    char wanted[600];
    errors = (tact_errors){0};
    snprintf(wanted, sizeof wanted, "%s: %s", tact_text_name(path), reason);
    bool read = tact_text_read(&text, path, TACT_TEXT_LIMIT, &errors);
    test_count(!read && text.bytes == NULL && text.size == 0, __FILE__, line, "nothing read");
    test_int(errors.errors, 1, __FILE__, line, "errors");
    test_int(errors.kept, 1, __FILE__, line, "kept");
    test_text(errors.items[0].text, wanted, __FILE__, line, "message");
    test_int(tact_errors_exit(&errors), exit_code, __FILE__, line, "exit code");
    tact_text_free(&text);
}

#define CHECK_UNREAD(path, reason, exit_code) check_unread(path, reason, exit_code, __LINE__)

static void check_read(const char *path, const char *bytes, size_t size) {
    tact_errors errors = {0};
    tact_text text = {0};
    CHECK(tact_text_read(&text, path, TACT_TEXT_LIMIT, &errors));
    CHECK_INT(text.size, size);
    CHECK(text.bytes && memcmp(text.bytes, bytes, size) == 0 && text.bytes[size] == '\0');
    CHECK_INT(errors.kept, 0);
    CHECK_INT(tact_errors_exit(&errors), 0);
    tact_text_free(&text);
}

static void make_socket(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%.100s", path);
    int server = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(server >= 0);
    CHECK_INT(bind(server, (const struct sockaddr *)&address, sizeof address), 0);
    close(server);
}

static void test_strange_files(void) {
    CHECK_UNREAD(folder, "is a directory", 3);
    CHECK_INT(mkfifo(path_of("pipe"), 0600), 0);
    CHECK_UNREAD(path_of("pipe"), "not a regular file", 3);
    make_socket(path_of("socket"));
    CHECK_UNREAD(path_of("socket"), "not a regular file", 3);
    CHECK_UNREAD("/dev/zero", "not a regular file", 3);
    CHECK_UNREAD("/dev/null", "not a regular file", 3);
    CHECK_UNREAD(path_of("missing"), "No such file or directory", 3);
    CHECK_UNREAD("", "No such file or directory", 3);
    CHECK_UNREAD(path_of("missing/file"), "No such file or directory", 3);
    CHECK_INT(symlink("loop", path_of("loop")), 0);
    CHECK_UNREAD(path_of("loop"), "Too many levels of symbolic links", 3);
    CHECK_INT(symlink("missing", path_of("dangling")), 0);
    CHECK_UNREAD(path_of("dangling"), "No such file or directory", 3);
    test_write_bytes(path_of("file"), "{}", 2);
    CHECK_UNREAD(path_of("file/below"), "Not a directory", 3);
    CHECK_INT(symlink("file", path_of("link")), 0);
    check_read(path_of("link"), "{}", 2);
}

static void test_sizes(void) {
    int file = open(path_of("sparse"), O_CREAT | O_WRONLY, 0600);
    CHECK(file >= 0);
    CHECK_INT(ftruncate(file, 2147483648), 0);
    CHECK_UNREAD(path_of("sparse"), "2147483648 bytes: larger than the limit of 16777216", 2);
    CHECK_INT(ftruncate(file, TACT_TEXT_LIMIT + 1), 0);
    CHECK_UNREAD(path_of("sparse"), "16777217 bytes: larger than the limit of 16777216", 2);
    CHECK_INT(ftruncate(file, TACT_TEXT_LIMIT), 0);
    close(file);
    char *zeros = calloc(1, TACT_TEXT_LIMIT);
    CHECK(zeros != NULL);
    if (zeros) check_read(path_of("sparse"), zeros, TACT_TEXT_LIMIT);
    free(zeros);
    test_write_bytes(path_of("empty"), "", 0);
    check_read(path_of("empty"), "", 0);
    test_write_bytes(path_of("nul"), "a\0b", 3);
    check_read(path_of("nul"), "a\0b", 3);
    // files whose size is told as 0
    tact_errors errors = {0};
    tact_text text = {0};
    if (access("/proc/self/status", R_OK) == 0) {
        CHECK(tact_text_read(&text, "/proc/self/status", TACT_TEXT_LIMIT, &errors));
        CHECK(text.size > 100);
        tact_text_free(&text);
        CHECK(!tact_text_read(&text, "/proc/self/status", 100, &errors));
        CHECK_TEXT(errors.items[0].text, "/proc/self/status: larger than the limit of 100 bytes");
    }
}

// as a user who may not read the file; the super-user reads everything
static void test_permission(void) {
    test_write_bytes(path_of("secret"), "{}", 2);
    CHECK_INT(chmod(path_of("secret"), 0), 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        tact_errors errors = {0};
        tact_text text = {0};
        bool plain = geteuid() != 0 || (chmod(folder, 0755) == 0 && setgid(65534) == 0 && setuid(65534) == 0);
        bool good = plain && !tact_text_read(&text, path_of("secret"), TACT_TEXT_LIMIT, &errors) &&
                    strstr(errors.items[0].text, "/secret: Permission denied") && tact_errors_exit(&errors) == 3;
        _exit(good ? 0 : 1);
    }
    int status = -1;
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(status, 0);
}

// standard input from a pipe that does not wait and is written late, in two pieces
static void test_standard_input(void) {
    int ends[2], saved = dup(STDIN_FILENO);
    CHECK_INT(pipe(ends), 0);
    CHECK_INT(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct timespec moment = {.tv_nsec = 20000000};
        for (int i = 0; i < 2; i++) {
            nanosleep(&moment, NULL);
            if (write(ends[1], "[1]\n", 4) != 4) _exit(1);
        }
        _exit(0);
    }
    close(ends[1]);
    CHECK(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    close(ends[0]);
    check_read("-", "[1]\n[1]\n", 8);
    waitpid(child, NULL, 0);
    int zero = open("/dev/zero", O_RDONLY);
    CHECK(dup2(zero, STDIN_FILENO) == STDIN_FILENO);
    close(zero);
    CHECK_UNREAD("-", "larger than the limit of 16777216 bytes", 2);
    int here = open(folder, O_RDONLY);
    CHECK(dup2(here, STDIN_FILENO) == STDIN_FILENO);
    close(here);
    CHECK_UNREAD("-", "is a directory", 3);
    close(STDIN_FILENO);
    CHECK_UNREAD("-", "Bad file descriptor", 3);
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
}

static void test_output(void) {
    tact_text text = {0};
    const tact_real x[] = {1, (tact_real)-0.5, (tact_real)INFINITY};
    tact_text_add(&text, "{\"a\":");
    tact_text_add_integer(&text, -9223372036854775807 - 1);
    tact_text_add(&text, ",\"b\":");
    tact_text_add_number(&text, 0.1);
    tact_text_add_number(&text, (double)NAN);
    tact_text_add_vector(&text, x, 3);
    tact_text_add_vector(&text, x, 0);
    CHECK_TEXT(text.bytes, "{\"a\":-9223372036854775808,\"b\":0.1null[1,-0.5,null][]");
    CHECK_INT(text.size, strlen(text.bytes));
    tact_text_clear(&text);
    CHECK_TEXT(text.bytes, "");
    tact_text_add_json(&text, "a\"b\\c/\n\t\x1b\x7f \xc3\xa9 \xe2\x80\xae \xf0\x9f\x98\x80 \xff\xc3");
    CHECK_TEXT(text.bytes, "\"a\\\"b\\\\c/\\n\\t\\u001b\\u007f \xc3\xa9 \\u202e \xf0\x9f\x98\x80 \\ufffd\\ufffd\"");
    tact_text_clear(&text);
    for (int i = 0; i < 100000; i++) tact_text_add_integer(&text, i % 10);
    CHECK_INT(text.size, 100000);
    bool same = true;
    for (int i = 0; i < 100000; i++) same = same && text.bytes[i] == '0' + i % 10;
    CHECK(same);
    CHECK(!text.failed && text.capacity < 200000);
    CHECK(!tact_text_reserve(&text, SIZE_MAX - 5));
    CHECK(text.failed);
    tact_text_add(&text, "dropped");
    CHECK_INT(text.size, 100000);
    tact_text_free(&text);
    CHECK(text.bytes == NULL && !text.failed);
}

// JSON from a format, and what has no JSON
static void test_print(void) {
    tact_text text = {0};
    tact_text_print(&text, "{\"a\":%s,\"b\":%g,\"c\":%d,\"d\":%lld,\"e\":%zu}%%", "x\"\n", 0.1, -3, 1LL << 40, (size_t)7);
    CHECK_TEXT(text.bytes, "{\"a\":\"x\\\"\\n\",\"b\":0.1,\"c\":-3,\"d\":1099511627776,\"e\":7}%");
    tact_text_clear(&text);
    tact_text_print(&text, "[%g,%g]", (double)NAN, (double)INFINITY);
    CHECK_TEXT(text.bytes, "[null,null]");
    tact_text_clear(&text);
    tact_text_print(&text, "plain");
    CHECK_TEXT(text.bytes, "plain");
    tact_text_free(&text);
}

static void test_quotes(void) {
    char out[16];
    CHECK_TEXT(tact_quote("a\"b\\c\x1b[2J\n\x7f").text, "\"a\\\"b\\\\c\\x1b[2J\\x0a\\x7f\"");
    CHECK_TEXT(tact_quote("\xe2\x80\xae \xe2\x81\xa6 \xc2\x9b \xff \xc3\xa9 %n%s").text,
               "\"\\u202e \\u2066 \\u009b \\xff \xc3\xa9 %n%s\"");
    CHECK_TEXT(tact_quote_bytes("a\0b", 3).text, "\"a\\x00b\"");
    CHECK_TEXT(tact_quote("").text, "\"\"");
    char longest[300];
    memset(longest, 'x', sizeof longest);
    longest[299] = '\0';
    tact_quoted cut = tact_quote(longest);
    CHECK_INT(strlen(cut.text), sizeof cut.text - 1);
    CHECK(strcmp(cut.text + sizeof cut.text - 6, "x...\"") == 0);
    longest[101] = '\0';
    CHECK_INT(strlen(tact_quote(longest).text), 103);
    CHECK(!strstr(tact_quote(longest).text, "..."));
    CHECK_INT(tact_quote_escape(out, sizeof out, "0123456789abcde", 15), 15);
    CHECK_TEXT(out, "0123456789abcde");
    CHECK_INT(tact_quote_escape(out, sizeof out, "0123456789abcdef", 16), 15);
    CHECK_TEXT(out, "0123456789ab...");
    // a character is never cut
    CHECK_INT(tact_quote_escape(out, sizeof out, "0123456789a\xc3\xa9\xc3\xa9\xc3\xa9", 17), 14);
    CHECK_TEXT(out, "0123456789a...");
}

static void test_utf8(void) {
    static const char *const bad[] = {"\x80",
                                      "\xbf",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xc2",
                                      "\xe0\x80\x80",
                                      "\xe0\x9f\xbf",
                                      "\xed\xa0\x80",
                                      "\xed\xbf\xbf",
                                      "\xf0\x80\x80\x80",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xff",
                                      "\xfe",
                                      "\xe2\x82",
                                      "\xf0\x9f\x98",
                                      "\xc3("};
    uint32_t point = 0;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) CHECK_INT(tact_utf8_decode(bad[i], strlen(bad[i]), &point), 0);
    CHECK_INT(tact_utf8_decode("\xf4\x8f\xbf\xbf", 4, &point), 4);
    CHECK_INT(point, 0x10ffff);
    CHECK_INT(tact_utf8_decode("\xef\xbf\xbf", 3, &point), 3);
    CHECK_INT(point, 0xffff);
    CHECK_INT(tact_utf8_decode("\xc2\x80", 2, &point), 2);
    CHECK_INT(point, 0x80);
    CHECK(tact_utf8_hidden(0x1b) && tact_utf8_hidden(0x7f) && tact_utf8_hidden(0x9f) && tact_utf8_hidden(0x202a) &&
          tact_utf8_hidden(0x2069));
    CHECK(!tact_utf8_hidden(' ') && !tact_utf8_hidden(0xa0) && !tact_utf8_hidden(0x2030) && !tact_utf8_hidden(0x1f600));
}

static void test_suggestions(void) {
    static const char *const names[] = {"mass", "stiffness", "palm", "inertia", "mu", "x", NULL};
    static const char *const words[][2] = {{"stiffnes", "stiffness"},
                                           {"Mass", "mass"},
                                           {"MASS", "mass"},
                                           {"plam", "palm"},
                                           {"inertai", "inertia"},
                                           {"q", NULL},
                                           {"nu", "mu"},
                                           {"", NULL},
                                           {"stiff", NULL},
                                           {"masses", "mass"},
                                           {"stiffness", "stiffness"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        tact_nearest nearest = {.word = words[i][0]};
        tact_nearest_try_all(&nearest, names);
        if (words[i][1]) CHECK_TEXT(nearest.best, words[i][1]);
        if (!words[i][1]) CHECK(nearest.best == NULL);
    }
    tact_nearest first = {.word = "axis"};
    tact_nearest_try_all(&first, (const char *const[]){"axis_2", "axis_1", "axis1", "axis2", NULL});
    CHECK_TEXT(first.best, "axis1");
    tact_nearest nearest = {.word = "plam"};
    CHECK_TEXT(tact_nearest_hint(&nearest).text, "");
    tact_nearest_try(&nearest, "palm");
    CHECK_TEXT(tact_nearest_hint(&nearest).text, " (did you mean \"palm\"?)");
}

static void test_errors(void) {
    static tact_errors errors;
    tact_place place = {.file = "a\x1b.json", .line = 3, .column = 7, .path = "/x/0"};
    char wanted[64];
    CHECK_INT(tact_errors_exit(&errors), 0);
    for (int i = 0; i < 25; i++) tact_errors_add(&errors, TACT_ERROR_WARNING, place, "odd %d", i);
    CHECK_INT(tact_errors_exit(&errors), 0);
    CHECK_INT(errors.kept, 20);
    CHECK_INT(errors.warnings, 25);
    CHECK_TEXT(errors.items[0].text, "a\\x1b.json:3:7: /x/0: warning: odd 0");
    CHECK(tact_errors_full(&errors, TACT_ERROR_WARNING) && !tact_errors_full(&errors, TACT_ERROR_REFUSED));
    for (int i = 0; i < 25; i++) tact_errors_add(&errors, TACT_ERROR_REFUSED, place, "bad %d", i);
    CHECK(tact_errors_full(&errors, TACT_ERROR_REFUSED));
    CHECK_INT(errors.errors, 25);
    CHECK_INT(errors.kept, 20);
    for (int i = 0; i < 20; i++) {
        snprintf(wanted, sizeof wanted, "a\\x1b.json:3:7: /x/0: bad %d", i);
        CHECK_TEXT(errors.items[i].text, wanted);
    }
    CHECK_INT(tact_errors_exit(&errors), 2);
    tact_errors_add(&errors, TACT_ERROR_UNREADABLE, place, "late");
    CHECK_INT(tact_errors_exit(&errors), 2);
    tact_errors_add(&errors, TACT_ERROR_NO_MEMORY, place, "out of memory");
    CHECK_INT(tact_errors_exit(&errors), 5);
    errors = (tact_errors){0};
    tact_errors_add(&errors, TACT_ERROR_UNREADABLE, (tact_place){0}, "%s", "alone\n");
    CHECK_TEXT(errors.items[0].text, "alone\\x0a");
    CHECK_INT(tact_errors_exit(&errors), 3);
    // nothing overflows, whatever is long
    static char text[5000];
    memset(text, 27, sizeof text - 1);
    place.file = place.path = text;
    tact_errors_add(&errors, TACT_ERROR_REFUSED, place, "%s", text);
    CHECK(strlen(errors.items[1].text) < TACT_ERROR_LENGTH);
    CHECK(strstr(errors.items[1].text, "...:3:7: \\x1b") && strstr(errors.items[1].text, "...: \\x1b"));
}

int main(void) {
    test_make_folder(folder, sizeof folder, NULL);
    int lowest = dup(STDIN_FILENO);
    close(lowest);
    test_utf8();
    test_quotes();
    test_suggestions();
    test_errors();
    test_output();
    test_print();
    test_strange_files();
    test_sizes();
    test_permission();
    // no file was left open
    int again = dup(STDIN_FILENO);
    CHECK_INT(again, lowest);
    close(again);
    test_standard_input();
    static const char *const names[] = {"pipe", "socket", "loop", "dangling", "file", "link", "sparse", "empty", "nul", "secret"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) CHECK_INT(unlink(path_of(names[i])), 0);
    CHECK_INT(rmdir(folder), 0);
    return test_end("text");
}
