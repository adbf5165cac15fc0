#ifndef REPORT_SCRIPT_PYTHON_PRIV_H
#define REPORT_SCRIPT_PYTHON_PRIV_H

#include "report/script/language.h"

#include <sys/types.h>

/*
 * The functions of Python's library that we use: result, name, arguments. To add one, write its
 * row. All belong to the stable interface (PEP 384). "borrowed": the caller does not own the
 * returned reference.
 */
typedef struct py_object py_object;
typedef py_object *py_function(py_object *self, py_object *args);
#define PYTHON_FUNCTIONS(X) \
	X(void, Py_InitializeEx, (int signals)) \
	X(int, Py_FinalizeEx, (void)) \
	X(void, Py_IncRef, (py_object * o)) \
	X(void, Py_DecRef, (py_object * o)) \
	X(py_object *, Py_CompileString, (const char *text, const char *file, int start)) \
	X(py_object *, PyEval_EvalCode, (py_object * code, py_object * globals, py_object * locals)) \
	X(py_object *, PyImport_AddModule, (const char *name)) /* borrowed */ \
	X(py_object *, PyModule_GetDict, (py_object * module)) /* borrowed */ \
	X(py_object *, PyDict_New, (void)) \
	X(py_object *, PyDict_Copy, (py_object * dict)) \
	X(py_object *, PyDict_GetItemString, \
	  (py_object * dict, const char *key)) /* borrowed; missing keys are no error */ \
	X(int, PyDict_SetItemString, (py_object * dict, const char *key, py_object *value)) \
	X(int, PyDict_SetItem, (py_object * dict, py_object * key, py_object * value)) \
	X(py_object *, PyTuple_New, (ssize_t n)) \
	X(int, PyTuple_SetItem, (py_object * tuple, ssize_t at, py_object * value)) /* takes the value's reference */ \
	X(py_object *, PyTuple_GetItem, (py_object * tuple, ssize_t at))            /* borrowed */ \
	X(py_object *, PyList_New, (ssize_t n)) \
	X(int, PyList_Append, (py_object * list, py_object * value)) \
	X(int, PyList_Insert, (py_object * list, ssize_t at, py_object * value)) \
	X(py_object *, PyBool_FromLong, (long v)) \
	X(py_object *, PyLong_FromLongLong, (long long v)) \
	X(py_object *, PyLong_FromUnsignedLongLong, (unsigned long long v)) \
	X(long long, PyLong_AsLongLong, (py_object * o)) \
	X(py_object *, PyUnicode_DecodeUTF8, (const char *s, ssize_t len, const char *errors)) \
	X(py_object *, PyUnicode_FromString, (const char *s)) \
	X(py_object *, PyUnicode_AsUTF8String, (py_object * text)) \
	X(char *, PyBytes_AsString, (py_object * bytes)) /* memory of the object */ \
	X(py_object *, PyBytes_FromStringAndSize, (const char *s, ssize_t len)) \
	X(py_object *, PyByteArray_FromStringAndSize, (const char *s, ssize_t len)) \
	X(py_object *, PyCapsule_New, (void *pointer, const char *name, void (*destructor)(py_object *))) \
	X(void *, PyCapsule_GetPointer, (py_object * capsule, const char *name)) \
	X(py_object *, PyCFunction_NewEx, (struct py_method * method, py_object * self, py_object * module)) \
	X(int, PyCallable_Check, (py_object * o)) \
	X(py_object *, PyObject_CallObject, (py_object * callable, py_object * args)) \
	X(py_object *, PyObject_GetAttrString, (py_object * o, const char *name)) \
	X(py_object *, PySys_GetObject, (const char *name)) /* borrowed */ \
	X(int, PySys_SetObject, (const char *name, py_object *value)) \
	X(py_object *, PyErr_Occurred, (void)) /* borrowed */ \
	X(int, PyErr_ExceptionMatches, (py_object * type)) \
	X(void, PyErr_SetString, (py_object * type, const char *text)) \
	X(void, PyErr_Print, (void)) \
	X(void, PyErr_Clear, (void))

/* Source: "Common Object Structures", PyMethodDef. */
struct py_method {
	const char *name;
	py_function *call;
	int flags;
	const char *doc;
};
enum { PY_METH_VARARGS = 1, PY_FILE_INPUT = 257 };

struct print_python;

#define PYTHON_MEMBER(result, name, args) result(*name) args;
struct python_api {
	PYTHON_FUNCTIONS(PYTHON_MEMBER)
	py_object *none, *broken_pipe, *type_error;
};
#undef PYTHON_MEMBER

/*
 * A Python interpreter. We use only functions of the stable interface; any Python from 3.8 on works.
 * Source: docs.python.org, "Python/C API Reference Manual", "C API Stability".
 */
struct python {
	struct interpreter base;
	struct python_api py;
	char *path, *text;             /* of the script */
	py_object *globals;            /* of __main__; borrowed */
	struct print_python *printing; /* the caller of the script's functions */
	const struct config *settings; /* may be NULL */
};

/* Add a function to a module of the script; `method` must outlive the interpreter. */
void python_add_function(struct python *p, const char *module, struct py_method *method);
/* Return the script's function with this name, borrowed; NULL if there is none. */
py_object *python_function(struct python *p, const char *name);
/* Return the number of parameters of a function; 0 if it is not a plain function. */
unsigned python_parameters(struct python *p, py_object *function);
/* Call a function and take over `args`. Print an exception; then the script counts as failed. */
void python_call_with(struct python *p, py_object *function, py_object *args);
/* Convert foreign text; invalid UTF-8 becomes \xNN. */
py_object *python_text(struct python *p, const char *s, size_t len);
/* Add the functions of the module perf_trace_context. */
void python_add_functions(struct python *p);

/* python_samples.c, python_starter.c: members of python_language */
extern const struct print_data_form python_form;
void python_printer_init(struct printer *p);
void python_printer_free(struct printer *p);
void python_sideband(struct printer *p, const struct record *r);
void python_starter(const struct perfdata *pd, struct out *o);

#endif
