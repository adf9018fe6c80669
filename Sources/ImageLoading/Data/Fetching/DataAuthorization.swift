/// What a hook that authorises requests can know beside the request.
public struct DataAuthorization: Sendable {
    /// The response by which the server turned the request down (401); nil the first time.
    public var rejection: DataResponse?

    /// The circumstances of these facts.
    public init(rejection: DataResponse? = nil) { self.rejection = rejection }
}
