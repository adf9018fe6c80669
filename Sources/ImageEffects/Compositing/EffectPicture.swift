public import Raster

/// A picture within an effect, such as a mask: the picture, and what it is called.
///
/// The reference stands for the picture wherever effects are compared, kept or written into a recipe; whoever makes one
/// sees to it that different pictures have different references. A recipe holds nothing but the reference. To read such
/// a recipe, say how to get pictures:
///
/// ```swift
/// let find: EffectPicture.Finder = { name in try image(named: name) }
/// decoder.userInfo[.effectPictures] = find
/// ```
public struct EffectPicture: Sendable {
    /// What gets the picture for a reference.
    public typealias Finder = @Sendable (String) throws -> Image

    /// What the picture is called: a path, a URL, a name, a hash.
    public var reference: String
    /// The picture. A deferred one is decoded when an effect is applied first.
    public var image: Image

    /// The picture `image`, called `reference`.
    public init(_ image: Image, reference: String) {
        self.reference = reference
        self.image = image
    }

    /// The picture's pixels, upright.
    func bitmap() throws(ImageError) -> Bitmap { try image.bitmap() }
}

extension EffectPicture: Hashable {
    /// Whether both are called the same.
    public static func == (a: EffectPicture, b: EffectPicture) -> Bool { a.reference == b.reference }

    /// Hashes what equality compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(reference) }
}

extension EffectPicture: Codable {
    /// Reads the reference and gets the picture from the decoder's `userInfo[.effectPictures]`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let reference = try container.decode(String.self)
        guard let find = decoder.userInfo[.effectPictures] as? Finder else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription:
                    "nothing says where to get the picture \"\(reference)\": userInfo[.effectPictures] is no EffectPicture.Finder"
            )
        }
        self.init(try find(reference), reference: reference)
    }

    /// Writes the reference.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(reference)
    }
}

extension CodingUserInfoKey {
    /// The `EffectPicture.Finder` by which a decoder gets the pictures that effects refer to.
    public static let effectPictures = CodingUserInfoKey(rawValue: "tessera.effectPictures")!
}
