// Names with scopes, overloads and templates.
#include <cstdio>
namespace ns {
struct Shape {
	int id;
	__attribute__((noinline)) int area(int w, int h) const { return id + w * h; }
	__attribute__((noinline)) int area(double w) const { return id + (int)w; }
};
template <typename T> __attribute__((noinline)) T twice(T x) { return x + x; }
}
int main()
{
	ns::Shape s{3};
	int n = 0;
	for (int i = 0; i < 3; i++)
		n += s.area(i, 2);
	n += s.area(1.5) + ns::twice<int>(4) + (int)ns::twice<long>(5L);
	printf("%d\n", n);
}
