"""where-packages.py PREFIX: prints the folder in which this Python looks for packages, in PREFIX if it looks there."""
import os
import sys
import sysconfig

prefix = os.path.join(sys.argv[1], "lib")
looked_in = [path for path in sys.path if os.path.basename(path) in ("site-packages", "dist-packages")]
own = sysconfig.get_path("purelib")
found = [path for path in looked_in if path.startswith(prefix)]
found += [path for path in looked_in if path == own] + looked_in
if sys.version_info < (3, 8) or not found:
    sys.exit(1)
print(found[0])
