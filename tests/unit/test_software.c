/* test_software.c - which dpkg and apt a root has. */
#include "place_fixture.h"

#include "dpkgtop/software.h"

#define STATUS "Status: install ok installed\n"

static void find_in(struct fixture *f, const char *text, const char *dpkg, const char *apt)
{
	struct software_event s;

	memset(&s, 0x55, sizeof(s));
	put(f, "status", text);
	assert_int_equal(software_find(&f->place, "/status", &s), 0);
	assert_string_equal(s.dpkg, dpkg);
	assert_string_equal(s.apt, apt);
}

static void versions_are_found(void **state)
{
	find_in(*state,
	        "Package: adduser\n" STATUS "Version: 3.134\n\n"
	        "Package: apt\n" STATUS "Architecture: amd64\nVersion: 2.6.1\n"
	        "Description: one\n Version: 9\n Package: dpkg\n\n"
	        "Package: dpkg-dev\n" STATUS "Version: 7\n\n"
	        "Version: 1.21.22\nPackage: dpkg\n" STATUS "Depends: apt (= 8)\n",
	        "1.21.22", "2.6.1");
}

static void what_is_not_installed_has_no_version(void **state)
{
	find_in(*state,
	        "Package: dpkg\nStatus: deinstall ok config-files\nVersion: 1.20\n\n"
	        "Package: apt\nStatus: install ok unpacked\nVersion: 2.6.1\n\n",
	        "", "2.6.1");
	find_in(*state, "", "", "");
	find_in(*state, "\n\n\n", "", "");
	find_in(*state, "Package: dpkg\n" STATUS "\n", "", "");
}

/* No line of it can stand for two, whatever its length and bytes. */
static void a_hostile_file_is_only_read(void **state)
{
	struct fixture *f = *state;
	struct software_event s;
	char text[4096] = "";
	int fd;

	strcpy(text, "Package: dpkg\n" STATUS "Version: 1.\033[31m\n\nPackage: apt\n" STATUS "X: ");
	while (strlen(text) < 511)
		strcat(text, "y");
	while (strlen(text) < 2000)
		strcat(text, "Version: 6.6.6 ");
	strcat(text, "\nVersion: 2.6.1\n");
	find_in(f, text, "1.?[31m", "2.6.1");
	fd = open(outside(f, "status"), O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "\0\0\0\0", 4, 300), 4);
	assert_int_equal(ftruncate(fd, INT64_C(1) << 40), 0);
	close(fd);
	assert_int_equal(software_find(&f->place, "/status", &s), 0);
}

static void no_file_is_told(void **state)
{
	struct fixture *f = *state;
	struct software_event s;

	memset(&s, 0x55, sizeof(s));
	assert_int_equal(software_find(&f->place, "/status", &s), -ENOENT);
	assert_string_equal(s.dpkg, "");
	assert_string_equal(s.apt, "");
	assert_int_equal(mkfifo(outside(f, "status"), 0644), 0);
	assert_int_equal(software_find(&f->place, "/status", &s), -EINVAL);
	assert_int_equal(unlink(outside(f, "status")), 0);
	link_to(f, f->secret, "status");
	assert_true(software_find(&f->place, "/status", &s) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(versions_are_found, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_not_installed_has_no_version, setup,
	                                        teardown),
		cmocka_unit_test_setup_teardown(a_hostile_file_is_only_read, setup, teardown),
		cmocka_unit_test_setup_teardown(no_file_is_told, setup, teardown),
	};

	return cmocka_run_group_tests_name("software", tests, NULL, NULL);
}
