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
        PgCodec<T> codec = CodecFor<T>.Instance;
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
        Data.ObjectCodecRegistry.Register(codec);
    }
}

/// <summary>Converts values of one .NET type to parameters, and fields to values.</summary>
/// <typeparam name="T">The .NET type.</typeparam>
/// <remarks>
/// One object serves every thread, so it holds no state of a value. <see cref="Measure"/> is called before <see cref="Write"/>
/// and returns exactly the number of bytes that it fills. Neither is called for a value that <see cref="IsNull"/>. No member may wait: codecs
/// run while data is being sent or received.
/// </remarks>
public abstract class PgCodec<T> : Data.IHasObjectCodec
{
    private const int TextBytes = 512;

    /// <summary>The OID that a parameter declares; 0: the server infers the type from the statement.</summary>
    public abstract uint TypeId { get; }

    /// <summary>The form that <see cref="Write"/> produces. Defaults to binary.</summary>
    public virtual PgFormat ParameterFormat => PgFormat.Binary;

    /// <summary>
    /// False if <see cref="TypeIdOf"/> depends on the value, as with <see cref="DateTime"/>: a statement is then parsed once per type that it is
    /// used with. Defaults to true.
    /// </summary>
    public virtual bool IsTypeFixed => true;

    /// <summary>The OID that a NULL declares; 0 if only a value can decide between types without a cast between them.</summary>
    internal virtual uint TypeIdOfNull => TypeId;

    /// <summary>Returns the OID that a parameter with this value declares.</summary>
    /// <param name="value">The value; it may be null.</param>
    /// <returns>An OID, or 0.</returns>
    public virtual uint TypeIdOf(T value) => TypeId;

    /// <summary>Whether the value is sent as NULL.</summary>
    /// <param name="value">The value.</param>
    /// <returns>True for null.</returns>
    public virtual bool IsNull(T value) => !typeof(T).IsValueType && value is null;

    /// <summary>Returns the length of the wire form.</summary>
    /// <param name="value">A value that is not null.</param>
    /// <returns>The exact number of bytes that <see cref="Write"/> fills.</returns>
    /// <exception cref="PgTypeException">The PostgreSQL type cannot hold the value.</exception>
    public abstract int Measure(T value);

    /// <summary>Writes the wire form.</summary>
    /// <param name="value">A value that is not null, as passed to <see cref="Measure"/>.</param>
    /// <param name="destination">Exactly the number of bytes that <see cref="Measure"/> returned.</param>
    public abstract void Write(T value, Span<byte> destination);

    /// <summary>Reads a value.</summary>
    /// <param name="field">The field. No part of it may be kept.</param>
    /// <returns>The value; null for NULL if <typeparamref name="T"/> can be null.</returns>
    /// <exception cref="PgTypeException">The field has another type, is malformed, or is NULL and the type cannot be null.</exception>
    public abstract T Read(PgField field);

    /// <summary>This codec for the composite of a database: its fields have these names, in this order.</summary>
    internal virtual PgCodec<T> ForDatabase(Data.TypeCatalog types, string[] fields) => this;

    /// <summary>Writes the text of a value: as it stands in a composite, or in an array that is sent as text.</summary>
    /// <param name="value">A value that is not null.</param>
    /// <param name="sink">The destination.</param>
    internal virtual void WriteText(T value, ref Utf8Sink sink) => FieldText.WriteParameter(this, value, ref sink);

    /// <summary>The length of what <see cref="WriteText"/> writes: <see cref="Measure"/> of a codec in text form.</summary>
    internal int MeasureText(T value)
    {
        var sink = new Utf8Sink(stackalloc byte[TextBytes]);
        WriteText(value, ref sink);
        int length = sink.Written.Length;
        sink.Dispose();
        return length;
    }

    /// <summary><see cref="Write"/> of a codec in text form.</summary>
    internal void CopyText(T value, Span<byte> destination)
    {
        var sink = new Utf8Sink(stackalloc byte[TextBytes]);
        WriteText(value, ref sink);
        sink.Written.CopyTo(destination);
        sink.Dispose();
    }

    /// <summary>What a NULL is read as: null, or an error if the type cannot be null.</summary>
    private protected static T OfNull(PgField field)
    {
        if (default(T) is not null)
        {
            TypeErrors.ThrowNull<T>(field.TypeId);
        }

        return default!; // NULL is null for a type that can be null; a caller that handles it asks for a nullable type.
    }

    Data.ObjectCodec Data.IHasObjectCodec.ForObjects(uint typeId) => new Data.ObjectCodec<T>(this, typeId);
}

/// <summary>The codec of a type, looked up once per closed type.</summary>
internal static class CodecFor<T>
{
    /// <summary>Never null: a type without a codec has a placeholder that throws until a codec is registered.</summary>
    internal static readonly PgCodec<T> Instance = BuiltInTypes.Find<T>() ?? RegisteredCodec<T>.Instance;
}

/// <summary>Represents the codec that an application registers for a type, before and after the registration.</summary>
internal sealed class RegisteredCodec<T> : PgCodec<T>
{
    internal static readonly RegisteredCodec<T> Instance = new();
    private static volatile PgCodec<T>? s_current;

    internal static PgCodec<T>? Current { get => s_current; set => s_current = value; }

    public override uint TypeId => Required.TypeId;

    public override PgFormat ParameterFormat => Required.ParameterFormat;

    public override bool IsTypeFixed => Required.IsTypeFixed;

    private static PgCodec<T> Required => s_current ?? throw TypeErrors.NoCodec<T>();

    public override uint TypeIdOf(T value) => Required.TypeIdOf(value);

    public override bool IsNull(T value) => Required.IsNull(value);

    public override int Measure(T value) => Required.Measure(value);

    public override void Write(T value, Span<byte> destination) => Required.Write(value, destination);

    public override T Read(PgField field) => Required.Read(field);

    internal override void WriteText(T value, ref Utf8Sink sink) => Required.WriteText(value, ref sink);
}
