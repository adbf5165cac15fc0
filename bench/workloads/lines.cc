// Much DWARF from little text: templates of the standard library, inlined into each other.
// bench/run links many renamed copies of its object.
#include <algorithm>
#include <deque>
#include <functional>
#include <future>
#include <iostream>
#include <list>
#include <map>
#include <numeric>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <thread>
#include <unordered_map>
#include <vector>
template <int N> struct Work {
	std::map<std::string, std::vector<long>> m;
	std::unordered_map<long, std::deque<double>> u;
	std::set<std::string> s;
	std::list<std::function<long(long)>> f;
	long run(long x) {
		for (long i = 0; i < x + N; i++) {
			m[std::to_string(i % 97)].push_back(i);
			u[i % 31].push_front(i * 0.5);
			s.insert(std::to_string(i));
			f.push_back([=](long y) { return y * N + i; });
		}
		std::vector<long> v(x);
		std::iota(v.begin(), v.end(), 0);
		std::mt19937 g(N);
		std::shuffle(v.begin(), v.end(), g);
		std::sort(v.begin(), v.end(), [](long a, long b) { return a % (N + 7) < b % (N + 7); });
		long t = 0;
		for (auto &p : m)
			t += std::accumulate(p.second.begin(), p.second.end(), 0L);
		for (auto &h : f)
			t = h(t);
		return t;
	}
};
template <int... I> long all(std::integer_sequence<int, I...>, long x)
{
	long t = 0;
	((t += Work<I>().run(x)), ...);
	return t;
}
long entry(long x)
{
	std::regex r("a+b*(c|d)[0-9]{2}");
	std::smatch m;
	std::string s = std::to_string(x);
	return std::regex_search(s, m, r) + all(std::make_integer_sequence<int, 12>(), x);
}
