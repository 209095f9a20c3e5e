namespace Ioxide.Pg;

/// <summary>The base of a codec for a database composite. An application derives from it and registers the codec.</summary>
/// <typeparam name="T">The .NET type.</typeparam>
/// <remarks>
/// A parameter is sent as text, and the server infers the composite type. The text is built twice per parameter.
/// </remarks>
public abstract class PgCompositeCodec<T> : PgCodec<T>
{
    /// <inheritdoc/>
    public override uint TypeId => 0;

    /// <inheritdoc/>
    public sealed override PgFormat ParameterFormat => PgFormat.Text;

    /// <inheritdoc/>
    public sealed override int Measure(T value) => MeasureText(value);

    /// <inheritdoc/>
    public sealed override void Write(T value, Span<byte> destination) => CopyText(value, destination);

    /// <inheritdoc/>
    public sealed override T Read(PgField field)
    {
        if (field.IsNull)
        {
            return OfNull(field);
        }

        var reader = new PgCompositeReader(field);
        return Read(ref reader);
    }

    internal sealed override void WriteText(T value, ref Utf8Sink sink)
    {
        // The writer owns the sink in between, also when a field throws: it may have exchanged the sink's memory.
        var writer = new PgCompositeWriter(sink);
        try
        {
            Write(value, ref writer);
        }
        finally
        {
            sink = writer.End();
        }
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

/// <summary>Reads the fields of a composite or record, one after another, in the order of its definition.</summary>
/// <remarks>Fields at its end may stay unread: a composite can have more of them than the .NET type.</remarks>
public ref struct PgCompositeReader
{
    /// <summary>The OID and the length of a field.</summary>
    internal const int FieldHeaderBytes = sizeof(uint) + sizeof(int);

    private readonly uint _typeId;
    private readonly bool _isText;
    private FieldReader _binary;
    private TextCursor _text;
    private int _left;

    /// <param name="field">A composite that is not NULL, in binary or text form.</param>
    /// <exception cref="PgTypeException">The field is not a composite.</exception>
    public PgCompositeReader(PgField field)
    {
        _typeId = field.TypeId;
        _isText = field.Format == PgFormat.Text;
        if (_isText)
        {
            _text = new TextCursor(field.Bytes);
            if (!_text.TryTake((byte)'('))
            {
                Malformed();
            }
        }
        else
        {
            _binary = new FieldReader(field.Bytes, field.TypeId);
            _left = _binary.ReadCount(FieldHeaderBytes);
        }
    }

    /// <summary>Reads the next field.</summary>
    /// <typeparam name="T">Its .NET type.</typeparam>
    /// <returns>Its value; null for NULL.</returns>
    /// <exception cref="PgTypeException">There is no field left, or it is of another type.</exception>
    public T Read<T>()
    {
        var scratch = new Utf8Sink([]);
        try
        {
            return CodecFor<T>.Instance.Read(Next(typeof(T), ref scratch));
        }
        finally
        {
            scratch.Dispose();
        }
    }

    /// <summary>Reads the next field as an object; null for NULL.</summary>
    internal object? Read(Data.ObjectCodec codec)
    {
        var scratch = new Utf8Sink([]);
        try
        {
            PgField field = Next(codec.Type, ref scratch);
            return field.IsNull ? null : codec.Read(field);
        }
        finally
        {
            scratch.Dispose();
        }
    }

    /// <param name="type">The .NET type that the field is read as.</param>
    /// <param name="scratch">Holds the field's text, without quotes.</param>
    private PgField Next(Type type, ref Utf8Sink scratch)
    {
        if (_isText)
        {
            if (!TextQuoting.TryTakePart(ref _text, ",)"u8, ref scratch, out bool isNull)
                || !(_text.TryTake((byte)',') || (_text.TryTake((byte)')') && _text.IsAtEnd)))
            {
                Malformed();
            }

            return new PgField(scratch.Written, TextTypeOf(type), PgFormat.Text, isNull);
        }

        if (_left-- <= 0)
        {
            Malformed();
        }

        uint fieldId = _binary.ReadUInt32();
        PgField field = _binary.ReadField(fieldId);
        if (_left == 0)
        {
            _binary.End();
        }

        return field;
    }

    // Text does not say its type. Bytes are those of a bytea, and not those of its text.
    private static uint TextTypeOf(Type type)
        => type == typeof(byte[]) || type == typeof(ReadOnlyMemory<byte>) || type == typeof(ReadOnlyMemory<byte>?) ? PgTypeId.Bytea
            : type == typeof(byte[][]) || type == typeof(ReadOnlyMemory<byte>[]) ? PgTypeTable.ArrayOf(PgTypeId.Bytea)
            : 0;

    private readonly void Malformed() => TypeErrors.ThrowMalformed(_typeId, "it is no composite, or has fewer fields than are read");
}

/// <summary>Writes the fields of a composite, one after another, in the order of its definition.</summary>
public ref struct PgCompositeWriter
{
    private const int ScratchBytes = 256;

    private Utf8Sink _sink;
    private bool _hasField;

    /// <param name="sink">Memory with what precedes the composite; <see cref="End"/> hands it back.</param>
    internal PgCompositeWriter(Utf8Sink sink)
    {
        _sink = sink;
        _sink.Write('(');
    }

    /// <summary>Writes the next field.</summary>
    /// <typeparam name="T">Its .NET type.</typeparam>
    /// <param name="value">Its value; null is NULL.</param>
    public void Write<T>(T value)
    {
        PgCodec<T> codec = CodecFor<T>.Instance;
        bool isNull = codec.IsNull(value);
        var scratch = new Utf8Sink(stackalloc byte[ScratchBytes]);
        try
        {
            if (!isNull)
            {
                codec.WriteText(value, ref scratch);
            }

            Add(isNull, scratch.Written);
        }
        finally
        {
            scratch.Dispose();
        }
    }

    /// <summary>Writes the next field; null is NULL.</summary>
    internal void Write(Data.ObjectCodec codec, object? value)
    {
        var scratch = new Utf8Sink(stackalloc byte[ScratchBytes]);
        try
        {
            if (value is not null)
            {
                codec.WriteText(value, ref scratch);
            }

            Add(value is null, scratch.Written);
        }
        finally
        {
            scratch.Dispose();
        }
    }

    /// <summary>Ends the composite.</summary>
    /// <returns>The memory that the constructor took, with the text.</returns>
    internal Utf8Sink End()
    {
        _sink.Write(')');
        return _sink;
    }

    private void Add(bool isNull, scoped ReadOnlySpan<byte> text)
    {
        _sink.Write(_hasField ? ","u8 : []);
        _hasField = true;
        if (!isNull)
        {
            TextQuoting.WriteDoubled(text, ref _sink);
        }
    }
}
