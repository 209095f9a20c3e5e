namespace Ioxide.Pg;

/// <summary>Turns values of one .NET type into parameters, and fields into values.</summary>
/// <typeparam name="T">The .NET type.</typeparam>
/// <remarks>
/// One object serves every thread, so it holds no state of a value. <see cref="Measure"/> is called before <see cref="Write"/>
/// and says exactly how many bytes that fills. Neither is called for a value that <see cref="IsNull"/>. No member may wait: they run in the
/// middle of what is sent or received.
/// </remarks>
public abstract class PgCodec<T> : Data.IObjectCodecs
{
    /// <summary>The OID that a parameter declares; 0: the server infers the type from the statement.</summary>
    public abstract uint TypeId { get; }

    /// <summary>The form that <see cref="Write"/> makes. Defaults to binary.</summary>
    public virtual PgFormat ParameterFormat => PgFormat.Binary;

    /// <summary>
    /// False where <see cref="TypeIdOf"/> depends on the value, as with <see cref="DateTime"/>: a statement then has to be parsed
    /// for each type that it is used with. Defaults to true.
    /// </summary>
    public virtual bool IsTypeFixed => true;

    /// <summary>The OID that a NULL declares; 0 where only a value would decide between types that no cast connects.</summary>
    internal virtual uint TypeIdOfNull => TypeId;

    /// <summary>The OID that a parameter with this value declares.</summary>
    /// <param name="value">The value; it may be null.</param>
    /// <returns>An OID, or 0.</returns>
    public virtual uint TypeIdOf(T value) => TypeId;

    /// <summary>Whether the value is sent as NULL.</summary>
    /// <param name="value">The value.</param>
    /// <returns>True for null.</returns>
    public virtual bool IsNull(T value) => !typeof(T).IsValueType && value is null;

    /// <summary>Says how long the wire form is.</summary>
    /// <param name="value">A value that is not null.</param>
    /// <returns>Bytes, exactly as many as <see cref="Write"/> fills.</returns>
    /// <exception cref="PgTypeException">The type of the server cannot hold the value.</exception>
    public abstract int Measure(T value);

    /// <summary>Writes the wire form.</summary>
    /// <param name="value">A value that is not null, as it was measured.</param>
    /// <param name="destination">As many bytes as <see cref="Measure"/> said.</param>
    public abstract void Write(T value, Span<byte> destination);

    /// <summary>Reads a value.</summary>
    /// <param name="field">The field. Nothing of it may be kept.</param>
    /// <returns>The value; null for NULL where <typeparamref name="T"/> can say so.</returns>
    /// <exception cref="PgTypeException">The field has another type, is malformed, or is NULL and the type cannot say so.</exception>
    public abstract T Read(PgField field);

    Data.ObjectCodec Data.IObjectCodecs.ForObjects(uint typeId) => new Data.ObjectCodec<T>(this, typeId);
}
