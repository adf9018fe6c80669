/// A tag of EXIF, XMP or IPTC, by ExifTool's name.
package struct MetadataTag: Hashable, Sendable {
    /// The kind of block that a tag is stored in.
    package enum Group: String, Hashable, Sendable, CaseIterable {
        case exif = "EXIF"
        case xmp = "XMP"
        case iptc = "IPTC"
    }

    /// Where the tag is stored in its block.
    enum Place: Hashable, Sendable {
        /// The number of an entry in a directory.
        case exif(EXIFDirectoryKind, Int)
        /// The name of a property and the prefix of its namespace.
        case xmp(XMPNamespace, String)
        /// The number of a data set in record 2.
        case iptc(Int)
    }

    /// The form of the tag's value.
    enum Style: Hashable, Sendable {
        /// Text; a date if the tag's name says so.
        case dateOrText
        /// Text after a code for its encoding.
        case comment
        case integer, number, signedNumber, exposureTime
        /// Degrees, whose sign is stored in another entry.
        case degrees
        /// Values that are shown but not set.
        case readOnly
    }

    /// ExifTool's name, such as "DateTimeOriginal".
    package let name: String
    let place: Place
    let style: Style
    /// Whether there may be several values: a list in XMP, a repeated data set in IPTC.
    let isList: Bool
    /// Whether an XMP value has languages, of which the default is used.
    let hasLanguages: Bool

    init(
        _ name: String, _ place: Place, _ style: Style = .dateOrText, isList: Bool = false, hasLanguages: Bool = false
    ) {
        (self.name, self.place, self.style) = (name, place, style)
        (self.isList, self.hasLanguages) = (isList, hasLanguages)
    }

    /// The block that the tag is stored in.
    package var group: Group {
        switch place {
        case .exif: .exif
        case .xmp: .xmp
        case .iptc: .iptc
        }
    }

    /// The name with its group, such as "EXIF:Artist".
    package var fullName: String { "\(group.rawValue):\(name)" }

    /// Whether the value is a date with a time.
    var isDate: Bool {
        switch place {
        case .exif(_, let number): [0x0132, 0x9003, 0x9004].contains(number)
        case .xmp: name.hasSuffix("Date") || name.hasPrefix("DateTime") || name == "DateCreated"
        case .iptc: false
        }
    }

    /// Whether the tag is shown but can't be set.
    package var isReadOnly: Bool { style == .readOnly }

    /// Returns the tags called `text`: with a group, as in "XMP:Title", only that one; else those of all groups.
    package static func named(_ text: String) -> [MetadataTag] {
        let parts = text.lowercased().split(separator: ":", maxSplits: 1).map(String.init)
        guard let name = parts.last, parts.count <= 2 else { return [] }
        return all.filter { tag in
            tag.name.lowercased() == name && (parts.count == 1 || tag.group.rawValue.lowercased() == parts[0])
        }
    }
}

/// A namespace of XMP (XMP part 1, 8; part 2, 1), with the prefix that is used for it.
struct XMPNamespace: Hashable, Sendable {
    let prefix: String
    let address: String

    static let dublinCore = XMPNamespace(prefix: "dc", address: "http://purl.org/dc/elements/1.1/")
    static let basic = XMPNamespace(prefix: "xmp", address: "http://ns.adobe.com/xap/1.0/")
    static let rights = XMPNamespace(prefix: "xmpRights", address: "http://ns.adobe.com/xap/1.0/rights/")
    static let photoshop = XMPNamespace(prefix: "photoshop", address: "http://ns.adobe.com/photoshop/1.0/")
    static let exif = XMPNamespace(prefix: "exif", address: "http://ns.adobe.com/exif/1.0/")
    static let tiff = XMPNamespace(prefix: "tiff", address: "http://ns.adobe.com/tiff/1.0/")
    static let auxiliary = XMPNamespace(prefix: "aux", address: "http://ns.adobe.com/exif/1.0/aux/")
    static let syntax = XMPNamespace(prefix: "rdf", address: "http://www.w3.org/1999/02/22-rdf-syntax-ns#")
}
