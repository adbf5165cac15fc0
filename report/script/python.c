/* The interpreter: its library, the modules that scripts import, the script itself. */
#include "report/script/python_priv.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/out.h"
#include "python_core_py.h"
#include "python_event_class_py.h"
#include "python_util_py.h"

enum { SCRIPT_MAX = 16 << 20 };

/* ---- the library ---- */

static const struct script_library library = {
	.language = "Python",
	.env = "STROBE_LIBPYTHON",
	.prefix = "libpython3.",
	.suffix = ".so.1.0",
	.newest = 20,
	.oldest = 8,
	.step = 1,
	.missing = "there is no library of Python 3.8 or newer: libpython3.N.so.1.0",
	.cure = "install it (Debian, Ubuntu: apt-get install libpython3-stdlib and libpython3.N)",
	.instead = "python3 SCRIPT",
};

static int bind_api(struct python_api *py, void *lib, struct err *e)
{
	py_object **variable;
	const char *missing = NULL;

#define BIND(result, name, args) \
	py->name = (result(*) args)dlsym(lib, #name); \
	if (!py->name) \
		missing = #name;
	PYTHON_FUNCTIONS(BIND)
#undef BIND
	py->none = dlsym(lib, "_Py_NoneStruct");
	variable = dlsym(lib, "PyExc_BrokenPipeError");
	if (missing || !py->none || !variable) {
		err_set(e, "cannot run Python scripts");
		return err_why(e, "its library has no '%s'", missing ? missing : "PyExc_BrokenPipeError");
	}
	return 0;
}

/* Read the variables of exceptions; they are valid only after the interpreter has started. */
static void bind_exceptions(struct python_api *py, void *lib)
{
	py->broken_pipe = *(py_object **)dlsym(lib, "PyExc_BrokenPipeError");
	py->type_error = *(py_object **)dlsym(lib, "PyExc_TypeError");
}

/* ---- values ---- */

py_object *python_text(struct python *p, const char *s, size_t len)
{
	return p->py.PyUnicode_DecodeUTF8(s, (ssize_t)len, "backslashreplace");
}

/* Set a key and release the value. */
static void python_set(struct python *p, py_object *dict, const char *key, py_object *value)
{
	p->py.PyDict_SetItemString(dict, key, value);
	p->py.Py_DecRef(value);
}

/* ---- calls ---- */

static void print_exception(struct python *p)
{
	struct python_api *py = &p->py;

	p->base.failed = true;
	if (py->PyErr_ExceptionMatches(py->broken_pipe)) {
		p->base.closed = true;
		py->PyErr_Clear();
	} else {
		py->PyErr_Print(); /* sys.exit() raises SystemExit; PyErr_Print then ends the process */
	}
}

py_object *python_function(struct python *p, const char *name)
{
	py_object *f = p->py.PyDict_GetItemString(p->globals, name);

	return f && p->py.PyCallable_Check(f) ? f : NULL;
}

unsigned python_parameters(struct python *p, py_object *function)
{
	struct python_api *py = &p->py;
	py_object *code = py->PyObject_GetAttrString(function, "__code__");
	py_object *count = code ? py->PyObject_GetAttrString(code, "co_argcount") : NULL;
	long long n = count ? py->PyLong_AsLongLong(count) : 0;

	py->PyErr_Clear();
	if (count)
		py->Py_DecRef(count);
	if (code)
		py->Py_DecRef(code);
	return n > 0 ? (unsigned)n : 0;
}

void python_call_with(struct python *p, py_object *function, py_object *args)
{
	struct python_api *py = &p->py;
	py_object *result = p->base.failed ? NULL : py->PyObject_CallObject(function, args);

	if (args)
		py->Py_DecRef(args);
	if (result)
		py->Py_DecRef(result);
	else if (!p->base.failed)
		print_exception(p);
}

static void python_call(struct interpreter *i, const char *name)
{
	struct python *p = (struct python *)i;
	py_object *f = python_function(p, name);

	if (f)
		python_call_with(p, f, NULL);
}

static void python_call_numbers(struct interpreter *i, const char *name, const int64_t *numbers, size_t n)
{
	struct python *p = (struct python *)i;
	py_object *f = python_function(p, name), *args;

	if (!f || p->base.failed)
		return;
	args = p->py.PyTuple_New((ssize_t)n);
	for (size_t k = 0; k < n; k++)
		p->py.PyTuple_SetItem(args, (ssize_t)k, p->py.PyLong_FromLongLong(numbers[k]));
	python_call_with(p, f, args);
}

void python_add_function(struct python *p, const char *module, struct py_method *method)
{
	struct python_api *py = &p->py;

	python_set(p, py->PyModule_GetDict(py->PyImport_AddModule(module)), method->name,
		   py->PyCFunction_NewEx(method, NULL, NULL));
}

/* ---- start ---- */

/* Run source text in a module. */
static void run_text(struct python *p, const char *text, const char *file, py_object *globals)
{
	struct python_api *py = &p->py;
	py_object *code = py->Py_CompileString(text, file, PY_FILE_INPUT);
	py_object *result = code ? py->PyEval_EvalCode(code, globals, globals) : NULL;

	if (code)
		py->Py_DecRef(code);
	if (result)
		py->Py_DecRef(result);
	else
		print_exception(p);
}

/* Add the modules that scripts for perf import by name. They are not files. */
static void add_modules(struct python *p)
{
	static const struct {
		const char *name, *text;
	} modules[] = { { "Core", python_core_py },
			{ "Util", python_util_py },
			{ "EventClass", python_event_class_py } };
	struct python_api *py = &p->py;

	for (size_t i = 0; i < ARRAY_SIZE(modules); i++) {
		py_object *globals = py->PyModule_GetDict(py->PyImport_AddModule(modules[i].name));

		python_set(p, globals, "__builtins__",
			   py->PyObject_GetAttrString(py->PyImport_AddModule("builtins"), "__dict__"));
		run_text(p, modules[i].text, modules[i].name, globals);
	}
}

/* Set sys.argv, and add the script's directory, which may contain modules. */
static void set_arguments(struct python *p, const char *path, char *const *args)
{
	struct python_api *py = &p->py;
	py_object *argv = py->PyList_New(0), *word = python_text(p, path, strlen(path)),
		  *search = py->PySys_GetObject("path");
	char *real = realpath(path, NULL), *slash = real ? strrchr(real, '/') : NULL;

	py->PyList_Append(argv, word);
	python_set(p, p->globals, "__file__", word);
	for (; *args; args++) {
		word = python_text(p, *args, strlen(*args));
		py->PyList_Append(argv, word);
		py->Py_DecRef(word);
	}
	py->PySys_SetObject("argv", argv);
	py->Py_DecRef(argv);
	if (slash && search) {
		word = python_text(p, real, (size_t)(slash - real));
		py->PyList_Insert(search, 0, word);
		py->Py_DecRef(word);
	}
	free(real);
}

/* Define the context. Some scripts take it from the module, others as a global name that they never define. */
static void set_context(struct python *p)
{
	py_object *dicts[] = { p->py.PyModule_GetDict(p->py.PyImport_AddModule("perf_trace_context")), p->globals };

	for (size_t i = 0; i < ARRAY_SIZE(dicts); i++)
		python_set(p, dicts[i], "perf_script_context", p->py.PyCapsule_New(p, NULL, NULL));
}

static struct interpreter *python_open(const char *path, char *const *args, const struct config *settings,
				       struct err *e)
{
	char *text = file_read(path, SCRIPT_MAX, NULL, e);
	struct python *p;
	void *lib;

	if (!text)
		return NULL;
	lib = script_library_load(&library, e);
	p = xcalloc(1, sizeof(*p));
	p->base.language = &python_language;
	p->settings = settings;
	if (!lib || bind_api(&p->py, lib, e) < 0) {
		free(text);
		free(p);
		return NULL;
	}
	p->text = text;
	p->path = xstrdup(path);
	p->py.Py_InitializeEx(0);
	bind_exceptions(&p->py, lib);
	p->globals = p->py.PyModule_GetDict(p->py.PyImport_AddModule("__main__"));
	set_arguments(p, path, args);
	set_context(p);
	add_modules(p);
	python_add_functions(p);
	return &p->base;
}

static void python_run(struct interpreter *i)
{
	struct python *p = (struct python *)i;

	if (!p->base.failed)
		run_text(p, p->text, p->path, p->globals);
}

static int python_close(struct interpreter *i, struct err *e)
{
	struct python *p = (struct python *)i;
	bool failed = p->base.failed, closed = p->base.closed;
	int rc;

	/*
	 * Flush the script's output here, so that we can distinguish a closed pipe from a full disk. The end of the
	 * interpreter would only print an error.
	 */
	if (!closed) {
		py_object *out = p->py.PySys_GetObject("stdout");
		py_object *flush = out && out != p->py.none ? p->py.PyObject_GetAttrString(out, "flush") : NULL;

		p->base.failed = false;
		if (flush) {
			python_call_with(p, flush, NULL);
			p->py.Py_DecRef(flush);
		}
		failed |= p->base.failed;
		closed = p->base.closed;
	}
	if (closed)
		p->py.PySys_SetObject("stdout", p->py.none);
	rc = p->py.Py_FinalizeEx();
	free(p->text);
	free(p->path);
	free(p);
	if (closed)
		return err_exit(e, EXIT_PIPE_CLOSED);
	if (failed)
		return err_set(e, "the script failed");
	return rc < 0 ? err_set(e, "cannot write the script's output") : 0;
}

const struct script_language python_language = {
	.name = "Python",
	.word = "py",
	.suffix = ".py",
	.open = python_open,
	.run = python_run,
	.call = python_call,
	.call_numbers = python_call_numbers,
	.close = python_close,
	.starter = python_starter,
	.form = &python_form,
	.init = python_printer_init,
	.free = python_printer_free,
	.sideband = python_sideband,
};
