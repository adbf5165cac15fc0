"""Short stacks: an interpreter built without frame pointers. short.py CPU-SECONDS PROCESSES"""
import os, sys, time

def leaf(a, b): return a * b % 7

def node(n):
    found = {}
    for i in range(n): found[i & 63] = leaf(i, n) + len(str(i))
    return sum(found.values())

def work():
    while time.process_time() < float(sys.argv[1]):
        for n in range(200): node(n)

for _ in range(int(sys.argv[2])):
    if os.fork() == 0:
        work()
        os._exit(0)
for _ in range(int(sys.argv[2])): os.wait()
