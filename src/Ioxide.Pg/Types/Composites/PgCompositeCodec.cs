namespace Ioxide.Pg;

/// <summary>The base of a codec for a database composite. An application derives from it and registers the codec.</summary>
/// <typeparam name="T">The .NET type.</typeparam>
/// <remarks>
/// A parameter is sent as text, and the server infers the composite type. The text is built twice per parameter.
/// </remarks>
public abstract class PgCompositeCodec<T> : PgCodec<T>
{
    private const int ScratchBytes = 512;

    /// <inheritdoc/>
    public override uint TypeId => 0;

    /// <inheritdoc/>
    public sealed override PgFormat ParameterFormat => PgFormat.Text;

    /// <inheritdoc/>
    public sealed override int Measure(T value)
    {
        var writer = new PgCompositeWriter(stackalloc byte[ScratchBytes]);
        Write(value, ref writer);
        int length = writer.End().Length;
        writer.Dispose();
        return length;
    }

    /// <inheritdoc/>
    public sealed override void Write(T value, Span<byte> destination)
    {
        var writer = new PgCompositeWriter(stackalloc byte[ScratchBytes]);
        Write(value, ref writer);
        writer.End().CopyTo(destination);
        writer.Dispose();
    }

    /// <inheritdoc/>
    public sealed override T Read(PgField field)
    {
        if (field.IsNull)
        {
            if (default(T) is not null)
            {
                TypeErrors.ThrowNull<T>(field.TypeId);
            }

            return default!; // NULL is null for a type that can be null.
        }

        var reader = new PgCompositeReader(field);
        return Read(ref reader);
    }

    /// <summary>Writes each field in the order of the composite's definition.</summary>
    /// <param name="value">A value that is not null.</param>
    /// <param name="writer">Receives the fields.</param>
    protected abstract void Write(T value, ref PgCompositeWriter writer);

    /// <summary>Reads each field in the order of the composite's definition.</summary>
    /// <param name="reader">Returns the fields.</param>
    /// <returns>The value.</returns>
    protected abstract T Read(ref PgCompositeReader reader);
}
