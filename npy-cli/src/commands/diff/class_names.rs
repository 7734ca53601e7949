//! The names of classes and functions in pickles: one for those that protocols or versions of Python and NumPy name differently.

use std::borrow::Cow;

/// The modules that Python 3 names as Python 2 does in protocols 0 to 2, as `IMPORT_MAPPING` of its `_compat_pickle` has them, and others that moved. `dbm` is not here, because it is a
/// module of Python 3, too.
const MODULES: [(&str, &str); 60] = [
    ("__builtin__", "builtins"),
    ("copy_reg", "copyreg"),
    ("Queue", "queue"),
    ("SocketServer", "socketserver"),
    ("ConfigParser", "configparser"),
    ("repr", "reprlib"),
    ("tkFileDialog", "tkinter.filedialog"),
    ("tkSimpleDialog", "tkinter.simpledialog"),
    ("tkColorChooser", "tkinter.colorchooser"),
    ("tkCommonDialog", "tkinter.commondialog"),
    ("Dialog", "tkinter.dialog"),
    ("Tkdnd", "tkinter.dnd"),
    ("tkFont", "tkinter.font"),
    ("tkMessageBox", "tkinter.messagebox"),
    ("ScrolledText", "tkinter.scrolledtext"),
    ("Tkconstants", "tkinter.constants"),
    ("Tix", "tkinter.tix"),
    ("ttk", "tkinter.ttk"),
    ("Tkinter", "tkinter"),
    ("markupbase", "_markupbase"),
    ("_winreg", "winreg"),
    ("thread", "_thread"),
    ("dummy_thread", "_dummy_thread"),
    ("dbhash", "dbm.bsd"),
    ("dumbdbm", "dbm.dumb"),
    ("gdbm", "dbm.gnu"),
    ("xmlrpclib", "xmlrpc.client"),
    ("SimpleXMLRPCServer", "xmlrpc.server"),
    ("httplib", "http.client"),
    ("htmlentitydefs", "html.entities"),
    ("HTMLParser", "html.parser"),
    ("Cookie", "http.cookies"),
    ("cookielib", "http.cookiejar"),
    ("BaseHTTPServer", "http.server"),
    ("test.test_support", "test.support"),
    ("commands", "subprocess"),
    ("urlparse", "urllib.parse"),
    ("robotparser", "urllib.robotparser"),
    ("urllib2", "urllib.request"),
    ("anydbm", "dbm"),
    ("_abcoll", "collections.abc"),
    ("cPickle", "pickle"),
    ("_elementtree", "xml.etree.ElementTree"),
    ("FileDialog", "tkinter.filedialog"),
    ("SimpleDialog", "tkinter.simpledialog"),
    ("DocXMLRPCServer", "xmlrpc.server"),
    ("SimpleHTTPServer", "http.server"),
    ("CGIHTTPServer", "http.server"),
    ("UserDict", "collections"),
    ("UserList", "collections"),
    ("UserString", "collections"),
    ("whichdb", "dbm"),
    ("StringIO", "io"),
    ("cStringIO", "io"),
    ("exceptions", "builtins"),
    ("_bz2", "bz2"),
    ("_functools", "functools"),
    ("_pickle", "pickle"),
    ("numpy._core", "numpy.core"),
    ("pathlib._local", "pathlib"),
];

/// The names that differ by more than the module: `NAME_MAPPING`.
const NAMES: [(&str, &str); 42] = [
    ("__builtin__.xrange", "builtins.range"),
    ("__builtin__.reduce", "functools.reduce"),
    ("__builtin__.intern", "sys.intern"),
    ("__builtin__.unichr", "builtins.chr"),
    ("__builtin__.unicode", "builtins.str"),
    ("__builtin__.long", "builtins.int"),
    ("itertools.izip", "builtins.zip"),
    ("itertools.imap", "builtins.map"),
    ("itertools.ifilter", "builtins.filter"),
    ("itertools.ifilterfalse", "itertools.filterfalse"),
    ("itertools.izip_longest", "itertools.zip_longest"),
    ("UserDict.IterableUserDict", "collections.UserDict"),
    ("UserList.UserList", "collections.UserList"),
    ("UserString.UserString", "collections.UserString"),
    ("whichdb.whichdb", "dbm.whichdb"),
    ("_socket.fromfd", "socket.fromfd"),
    ("_multiprocessing.Connection", "multiprocessing.connection.Connection"),
    ("multiprocessing.process.Process", "multiprocessing.context.Process"),
    ("multiprocessing.forking.Popen", "multiprocessing.popen_fork.Popen"),
    ("urllib.ContentTooShortError", "urllib.error.ContentTooShortError"),
    ("urllib.getproxies", "urllib.request.getproxies"),
    ("urllib.pathname2url", "urllib.request.pathname2url"),
    ("urllib.quote_plus", "urllib.parse.quote_plus"),
    ("urllib.quote", "urllib.parse.quote"),
    ("urllib.unquote_plus", "urllib.parse.unquote_plus"),
    ("urllib.unquote", "urllib.parse.unquote"),
    ("urllib.url2pathname", "urllib.request.url2pathname"),
    ("urllib.urlcleanup", "urllib.request.urlcleanup"),
    ("urllib.urlencode", "urllib.parse.urlencode"),
    ("urllib.urlopen", "urllib.request.urlopen"),
    ("urllib.urlretrieve", "urllib.request.urlretrieve"),
    ("urllib2.HTTPError", "urllib.error.HTTPError"),
    ("urllib2.URLError", "urllib.error.URLError"),
    ("multiprocessing.AuthenticationError", "multiprocessing.context.AuthenticationError"),
    ("multiprocessing.BufferTooShort", "multiprocessing.context.BufferTooShort"),
    ("multiprocessing.ProcessError", "multiprocessing.context.ProcessError"),
    ("multiprocessing.TimeoutError", "multiprocessing.context.TimeoutError"),
    ("__builtin__.basestring", "builtins.str"),
    ("exceptions.StandardError", "builtins.Exception"),
    ("UserDict.UserDict", "collections.UserDict"),
    ("socket._socketobject", "socket.SocketType"),
    ("_socket.socket", "socket.SocketType"),
];

/// Returns the name that all protocols and versions have in common: that of the class which Python 3 loads. Protocol 2 names each class that is new in Python 3 as an older one
/// (`FileNotFoundError` as `OSError`), which is then another class.
pub(super) fn common(name: &str) -> Cow<'_, str> {
    if let Some((_, common)) = NAMES.iter().find(|(other, _)| *other == name) {
        return Cow::Borrowed(common);
    }
    let moved = MODULES.iter().find_map(|(module, common)| {
        let rest = name.strip_prefix(module).filter(|rest| rest.starts_with('.'))?;
        Some(format!("{common}{rest}"))
    });
    moved.map_or(Cow::Borrowed(name), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::common;

    #[test]
    fn protocols_name_the_same_class() {
        for (name, expected) in [
            ("__builtin__.list", "builtins.list"),
            ("__builtin__.xrange", "builtins.range"),
            ("exceptions.ValueError", "builtins.ValueError"),
            ("numpy._core.multiarray.scalar", "numpy.core.multiarray.scalar"),
            ("urlparse.ParseResult", "urllib.parse.ParseResult"),
            ("itertools.imap", "builtins.map"),
            ("_functools.reduce", "functools.reduce"),
            ("test.test_support.x", "test.support.x"),
            ("copy_register.x", "copy_register.x"),
            ("builtins.list", "builtins.list"),
        ] {
            assert_eq!(common(name), expected);
        }
    }
}
