/// Names of files as text.
///
/// A name is bytes, most often UTF-8. Each byte that isn't part of valid UTF-8 stands as one character of a private range,
/// U+10FE80 to U+10FEFF, and becomes that byte again where the system is called, so that every file can be named. A name
/// that contains these characters is read byte by byte too: different names stay different.
extension String {
    private static let escapes: ClosedRange<UInt32> = 0x10FE80...0x10FEFF
    /// The value of the character for byte 0.
    private static let escapeBase: UInt32 = 0x10FE00

    /// The text for a name of the system.
    package init(native name: UnsafePointer<CChar>) {
        // A C string ends at its zero byte.
        self.init(native: UnsafeRawBufferPointer(start: name, count: strlen(name)))
    }

    /// The text for the bytes of a name.
    package init(native bytes: some Collection<UInt8>) {
        if let text = String(validating: bytes, as: UTF8.self), !text.hasEscapes {
            self = text
            return
        }
        self.init()
        var rest = Array(bytes)[...]
        while let first = rest.first {
            // The shortest prefix that is a character; at most four bytes are.
            let length = (1...4).first { length in
                length <= rest.count
                    && String(validating: rest.prefix(length), as: UTF8.self).map { !$0.hasEscapes } ?? false
            }
            if let length {
                self += String(decoding: rest.prefix(length), as: UTF8.self)
            } else if let escape = Unicode.Scalar(Self.escapeBase + UInt32(first)) {
                unicodeScalars.append(escape)
            }
            rest = rest.dropFirst(length ?? 1)
        }
    }

    /// The name as the system's bytes, without the final zero.
    package var nativeBytes: [UInt8] {
        guard hasEscapes else { return Array(utf8) }
        return unicodeScalars.flatMap { scalar in
            Self.escapes.contains(scalar.value)
                ? [UInt8(scalar.value - Self.escapeBase)] : Array(String(scalar).utf8)
        }
    }

    /// The name as a C string.
    package var native: [CChar] { nativeBytes.map { CChar(bitPattern: $0) } + [0] }

    /// Whether characters stand for bytes that aren't UTF-8.
    package var hasEscapes: Bool {
        // All of them begin with this byte, which few other characters do.
        utf8.contains(0xF4) && unicodeScalars.contains { Self.escapes.contains($0.value) }
    }

    /// The text for a terminal: control characters, which could command it, and bytes that aren't UTF-8 are written as in
    /// `\x1b`. A line feed and a tab stay.
    package var printable: String {
        guard unicodeScalars.contains(where: { $0.nativeEscape != nil }) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if let escape = scalar.nativeEscape { text += escape } else { text.unicodeScalars.append(scalar) }
        }
    }
}

extension Unicode.Scalar {
    /// The form in which the character is shown; nil if it stays as it is.
    fileprivate var nativeEscape: String? {
        switch value {
        case 0x09, 0x0A: nil
        case 0..<0x20, 0x7F..<0xA0: Self.hexadecimal(value)
        // Marks that reorder what follows, so that a name could pose as another.
        case 0x202A...0x202E, 0x2066...0x2069: "\\u{" + String(value, radix: 16) + "}"
        case 0x10FE80...0x10FEFF: Self.hexadecimal(value - 0x10FE00)
        default: nil
        }
    }

    private static func hexadecimal(_ byte: UInt32) -> String {
        "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}

/// The command line.
package enum ProgramArguments {
    /// The arguments after the program's name, as text for names of files.
    package static var all: [String] {
        // The pointers are valid for the life of the process, and the last one is followed by nil.
        (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0].map { String(native: $0) } }
    }
}
