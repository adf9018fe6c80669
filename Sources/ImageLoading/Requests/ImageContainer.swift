public import Essentials
public import ImageFormats
public import Raster

/// A decoded image with the data that its decoder attached.
public struct ImageContainer: Sendable {
    private struct Fields: Sendable {
        var image: Image
        var type: ImageFormat?
        var isPreview: Bool
        var data: Data?
        var header: ImageHeader?
        var animation: ImageAnimation?
        var userInfo: [UserInfoKey: any Sendable]
        var cacheMetadata: DataCacheMetadata?
        var isPlaceholder = false
        var deferred: DeferredPicture?
    }

    /// One reference, as containers are copied at every hit in the memory cache.
    private var fields: CopiedOnWrite<Fields>

    /// The image. For an animation the first frame, for formats that aren't decoded a transparent pixel.
    public var image: Image {
        get { fields.image }
        set { fields.image = newValue }
    }
    /// The format of the original; nil if unknown.
    public var type: ImageFormat? {
        get { fields.type }
        set { fields.type = newValue }
    }
    /// Whether a better image will follow.
    public var isPreview: Bool {
        get { fields.isPreview }
        set { fields.isPreview = newValue }
    }
    /// The encoded bytes of animations and of formats that aren't decoded. Nil after the pixels have been changed.
    public var data: Data? {
        get { fields.data }
        set { fields.data = newValue }
    }
    /// The file's header; nil for formats that aren't decoded.
    public var header: ImageHeader? {
        get { fields.header }
        set { fields.header = newValue }
    }
    /// The animation whose first frame is `image`; nil for stills.
    public var animation: ImageAnimation? {
        get { fields.animation }
        set { fields.animation = newValue }
    }
    /// Further information from decoders and processors.
    public var userInfo: [UserInfoKey: any Sendable] {
        get { fields.userInfo }
        set { fields.userInfo = newValue }
    }

    /// The metadata needed to revalidate the image.
    package var cacheMetadata: DataCacheMetadata? {
        get { fields.cacheMetadata }
        set { fields.cacheMetadata = newValue }
    }
    /// Whether `image` is only a placeholder for `data`; processors leave both unchanged.
    package var isPlaceholder: Bool {
        get { fields.isPlaceholder }
        set { fields.isPlaceholder = newValue }
    }

    /// The undecoded image behind `image`; nil if it is decoded, or was made by a custom decoder.
    var deferred: DeferredPicture? {
        get { fields.deferred }
        set { fields.deferred = newValue }
    }

    /// Creates a container for an image.
    public init(
        image: Image, type: ImageFormat? = nil, isPreview: Bool = false, data: Data? = nil, header: ImageHeader? = nil,
        animation: ImageAnimation? = nil, userInfo: [UserInfoKey: any Sendable] = [:]
    ) {
        fields = CopiedOnWrite(
            Fields(
                image: image, type: type, isPreview: isPreview, data: data, header: header, animation: animation,
                userInfo: userInfo))
    }

    /// Orientation, EXIF and other metadata; nil if there is no header.
    public var metadata: ImageMetadata? { header?.metadata }
}

extension ImageContainer {
    /// A key of `userInfo`.
    public struct UserInfoKey: Hashable, Sendable, ExpressibleByStringLiteral {
        /// The key's name.
        public let rawValue: String
        /// Creates a key with a name.
        public init(_ rawValue: String) { self.rawValue = rawValue }
        /// Creates a key with the literal as its name.
        public init(stringLiteral value: String) { rawValue = value }

        /// An `Int`: the number of the newest scan in a preview of a progressive image.
        public static let scanNumberKey: UserInfoKey = "tessera.scanNumber"
    }
}

/// Copy-on-write fields behind one reference, so that copying them is as cheap as retaining an object.
@dynamicMemberLookup
struct CopiedOnWrite<Fields: Sendable>: Sendable {
    /// Immutable, so that threads can share it.
    private final class Box: Sendable {
        let fields: Fields

        init(_ fields: Fields) { self.fields = fields }
    }

    private var box: Box

    init(_ fields: Fields) { box = Box(fields) }

    subscript<Value>(dynamicMember path: WritableKeyPath<Fields, Value>) -> Value {
        @inline(__always) get { box.fields[keyPath: path] }
        @inline(__always) set {
            var fields = box.fields
            fields[keyPath: path] = newValue
            box = Box(fields)
        }
    }
}
