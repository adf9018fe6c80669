internal import ArgumentParser
internal import ImageEffects
internal import Tessera

extension Option where Value == [WrittenEffect] {
    /// An option for the effect `name`, which may be given more than once.
    init(wrappedValue: [WrittenEffect], effect name: String) {
        let form = WrittenEffect.form(name)
        self.init(
            wrappedValue: wrappedValue, parsing: .unconditionalSingleValue,
            help: ArgumentHelp("\(form.sentence)", valueName: form.usage), transform: WrittenEffect.reader(name))
    }
}

extension WrittenEffect {
    /// The form called `name`, which is in the table.
    static func form(_ name: String) -> EffectForm {
        guard let form = EffectTable[name] else { preconditionFailure("there is no effect \(name)") }
        return form
    }

    /// A function that reads the values of the effect `name`.
    static func reader(_ name: String) -> @Sendable (String) throws -> WrittenEffect {
        { argument in
            do throws(ImageError) {
                return try form(name).read(argument)
            } catch {
                throw ValidationError(error.message)
            }
        }
    }

    /// The effect `name`, which has no values, `count` times.
    static func flags(_ name: String, _ count: Int) -> [WrittenEffect] {
        (try? form(name).read("")).map { Array(repeating: $0, count: count) } ?? []
    }
}

extension ArgumentHelp {
    /// What the effect `name` does.
    static func effect(_ name: String) -> ArgumentHelp { ArgumentHelp("\(WrittenEffect.form(name).sentence)") }
}
