namespace Ioxide.Pg;

/// <summary>Finds and registers codecs.</summary>
public static class PgCodec
{
    /// <summary>Returns the codec of a type.</summary>
    /// <typeparam name="T">The .NET type.</typeparam>
    /// <returns>The codec; the same object each time.</returns>
    /// <exception cref="PgTypeException">There is neither a built-in nor a registered codec.</exception>
    public static PgCodec<T> For<T>()
    {
        PgCodec<T> codec = PgCodecs<T>.Instance;
        return codec is RegisteredCodec<T> && RegisteredCodec<T>.Current is null ? throw TypeErrors.NoCodec<T>() : codec;
    }

    /// <summary>
    /// Registers a codec for the whole process, and with it arrays (<c>T[]</c>, <c>List&lt;T&gt;</c>, <see cref="PgArray{T}"/>) of
    /// its type. A later registration replaces an earlier one.
    /// </summary>
    /// <typeparam name="T">The .NET type.</typeparam>
    /// <param name="codec">The codec.</param>
    /// <exception cref="InvalidOperationException">The type has a built-in codec.</exception>
    /// <remarks>For a struct use <see cref="RegisterValue{T}"/>, which also covers <c>T?</c>.</remarks>
    public static void Register<T>(PgCodec<T> codec)
    {
        ArgumentNullException.ThrowIfNull(codec);
        Set(codec);
        Set(new ListArrayCodec<T>(codec));
        Set(new ShapedArrayCodec<T>(codec));
        if (!BuiltInTypes.Has<T[]>())
        {
            Set(new VectorArrayCodec<T>(codec));
        }
    }

    /// <summary>Registers the codec of a struct for the whole process, and with it <c>T?</c> and arrays of both.</summary>
    /// <typeparam name="T">The .NET type.</typeparam>
    /// <param name="codec">The codec.</param>
    /// <exception cref="InvalidOperationException">The type has a built-in codec.</exception>
    public static void RegisterValue<T>(PgCodec<T> codec)
        where T : struct
    {
        Register(codec);
        Register(new NullableCodec<T>(codec));
    }

    /// <summary>Registers a database enum for the whole process, including <c>T?</c> and arrays.</summary>
    /// <typeparam name="TEnum">The enum.</typeparam>
    /// <param name="label">
    /// Returns the label of a value in the database. Defaults to its name in snake case: <c>VeryHappy</c> is <c>very_happy</c>.
    /// </param>
    /// <exception cref="ArgumentException">Two values have the same label.</exception>
    /// <remarks>A parameter is sent as its label, and the server infers the enum type.</remarks>
    public static void RegisterEnum<TEnum>(Func<TEnum, string>? label = null)
        where TEnum : struct, Enum
        => RegisterValue(new EnumCodec<TEnum>(label));

    private static void Set<T>(PgCodec<T> codec)
    {
        if (BuiltInTypes.Has<T>())
        {
            throw new InvalidOperationException($"{TypeErrors.NameOf<T>()} has a codec that is built in; wrap it in a type of your own.");
        }

        RegisteredCodec<T>.Current = codec;
        Data.ValueCodecs.Register(codec);
    }
}
