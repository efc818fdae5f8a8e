"""Plain ES modules as one script, for a page that has to work from a file: browsers load no module from there.

No bundler of others: the modules import each other by name only, each name stands once, and so their text in the right
order, without the words `import` and `export`, is the script.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from dumbbell.errors import DumbbellError

_IMPORT: Final = re.compile(r'^import \{([^}]*)\} from "\./([\w]+)\.js";\n', re.MULTILINE | re.DOTALL)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?(?:function|const|class|let)\b)", re.MULTILINE)
_NAME: Final = re.compile(r"^(?:async )?(?:function\*?|const|class|let) (\w+|\[[^\]]*\]|\{[^}]*\})", re.MULTILINE)
_WORD: Final = re.compile(r"\w+")


def bundled(folder: Path, entry: str) -> str:
    """The module `entry` with all that it imports, in one function that is called at once.

    Raises:
        DumbbellError: two modules have the same name for something, or one imports in another form.
    """
    texts: dict[str, str] = {}
    _collect(folder, entry, texts, ())
    owners: dict[str, str] = {}
    for module, text in texts.items():
        for found in _NAME.findall(text):
            for name in _WORD.findall(found):
                if name in owners:
                    raise DumbbellError(f"{owners[name]}.js and {module}.js both have {name}")
                owners[name] = module
    return '"use strict";\n(() => {\n' + "\n".join(texts.values()) + "})();\n"


def _collect(folder: Path, module: str, texts: dict[str, str], above: tuple[str, ...]) -> None:
    """Adds a module below those that it imports."""
    if module in texts:
        return
    if module in above:
        raise DumbbellError(f"{module}.js imports itself, by {' and '.join(above[above.index(module) + 1 :])}")
    text = (folder / f"{module}.js").read_text(encoding="utf-8")
    for names, other in _IMPORT.findall(text):
        if " as " in names:
            raise DumbbellError(f"{module}.js: import names as they are")
        _collect(folder, other, texts, (*above, module))
    stripped = _EXPORT.sub("", _IMPORT.sub("", text))
    if re.search(r"^(import|export)\b", stripped, re.MULTILINE):
        raise DumbbellError(f"{module}.js: import {{names}} from a file beside it, and export declarations")
    texts[module] = stripped
