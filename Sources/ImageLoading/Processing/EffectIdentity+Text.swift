internal import ImageEffects

extension EffectIdentity {
    /// The identity as people read it: `resize(100.0, points)`.
    var text: String {
        let parameters = parameters.map { parameter in
            switch parameter {
            case .integer(let value): "\(value)"
            case .number(let value): "\(value)"
            case .flag(let value): "\(value)"
            case .text(let value): value
            case .identity(let value): value.text
            }
        }
        return parameters.isEmpty ? name : "\(name)(\(parameters.joined(separator: ", ")))"
    }
}
