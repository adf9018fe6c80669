/// A null-terminated list of C strings. They are freed with this value.
struct CStrings: ~Copyable {
    private let pointers: [UnsafeMutablePointer<CChar>?]

    init(_ strings: [String]) { pointers = strings.map { strdup($0.native) } + [nil] }

    deinit { for pointer in pointers { free(pointer) } }

    borrowing func withPointers<R>(_ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> R) -> R {
        // An array of at least the null pointer has an address.
        pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}
