namespace Ioxide.Pg;

/// <summary>Converts values of one .NET type to parameters, and fields to values.</summary>
/// <typeparam name="T">The .NET type.</typeparam>
/// <remarks>
/// One object serves every thread, so it holds no state of a value. <see cref="Measure"/> is called before <see cref="Write"/>
/// and returns exactly the number of bytes that it fills. Neither is called for a value that <see cref="IsNull"/>. No member may wait: codecs
/// run while data is being sent or received.
/// </remarks>
public abstract class PgCodec<T> : Data.IObjectCodecs
{
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

    Data.ObjectCodec Data.IObjectCodecs.ForObjects(uint typeId) => new Data.ObjectCodec<T>(this, typeId);
}
