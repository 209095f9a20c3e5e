namespace Ioxide.Pg;

/// <summary>Writes the fields of a composite, one after another, in the order of its definition.</summary>
public ref struct PgCompositeWriter
{
    private const int ScratchBytes = 256;

    private Utf8Sink _sink;
    private bool _hasField;

    internal PgCompositeWriter(Span<byte> scratch)
    {
        _sink = new Utf8Sink(scratch);
        _sink.Write('(');
    }

    /// <summary>Writes the next field.</summary>
    /// <typeparam name="T">Its .NET type.</typeparam>
    /// <param name="value">Its value; null is NULL.</param>
    public void Write<T>(T value)
    {
        _sink.Write(_hasField ? ","u8 : []);
        _hasField = true;
        PgCodec<T> codec = PgCodecs<T>.Instance;
        if (codec.IsNull(value))
        {
            return;
        }

        var scratch = new Utf8Sink(stackalloc byte[ScratchBytes]);
        try
        {
            FieldText.WriteParameter(codec, value, ref scratch);
            TextQuoting.WriteDoubled(scratch.Written, ref _sink);
        }
        finally
        {
            scratch.Dispose();
        }
    }

    /// <summary>Writes the next field; null is NULL.</summary>
    internal void Write(Data.ObjectCodec codec, object? value)
    {
        _sink.Write(_hasField ? ","u8 : []);
        _hasField = true;
        if (value is null)
        {
            return;
        }

        var scratch = new Utf8Sink(stackalloc byte[ScratchBytes]);
        try
        {
            codec.WriteText(value, ref scratch);
            TextQuoting.WriteDoubled(scratch.Written, ref _sink);
        }
        finally
        {
            scratch.Dispose();
        }
    }

    /// <summary>Ends the composite.</summary>
    /// <returns>Its text, valid until <see cref="Dispose"/>.</returns>
    internal ReadOnlySpan<byte> End()
    {
        _sink.Write(')');
        return _sink.Written;
    }

    internal void Dispose() => _sink.Dispose();
}
