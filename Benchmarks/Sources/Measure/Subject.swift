/// Something to be measured: set up once, run again and again.
protocol Subject: AnyObject, SendableMetatype {
    /// Sets up: reads the files and makes what a run takes as given.
    init(_ arguments: [String]) throws

    /// Lets the last run's output go; not timed.
    func prepare()

    /// Does the work once, and keeps what it made.
    func run() throws

    /// The peak of the memory that the last run took, where that is measured.
    var peakByteCount: Int? { get }

    /// What the last run made.
    func output() throws -> Output
}

extension Subject {
    /// Not measured.
    var peakByteCount: Int? { nil }
}

/// What a run makes.
enum Output {
    /// Rows of RGBA bytes without padding.
    case pixels([UInt8], width: Int, height: Int)
    /// A file.
    case file([UInt8])
}
