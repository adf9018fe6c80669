import Glibc

/// The environment variables of this process.
enum Environment {
    static func value(of name: String) -> String? {
        // The string is copied before anything can change the environment: there is one thread at this point.
        getenv(name).map { String(cString: $0) }
    }
}
