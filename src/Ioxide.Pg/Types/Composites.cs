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

/// <summary>Reads the fields of a composite or record, one after another, in the order of its definition.</summary>
public ref struct PgCompositeReader
{
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
            _left = _binary.ReadInt32();
        }
    }

    /// <summary>Reads the next field.</summary>
    /// <typeparam name="T">Its .NET type.</typeparam>
    /// <returns>Its value; null for NULL.</returns>
    /// <exception cref="PgTypeException">There is no field left, or it is of another type.</exception>
    public T Read<T>()
    {
        if (_isText)
        {
            return ReadText<T>();
        }

        if (_left-- <= 0)
        {
            Malformed();
        }

        uint fieldId = _binary.ReadUInt32();
        return PgCodecs<T>.Instance.Read(_binary.ReadField(fieldId));
    }

    /// <summary>Reads the next field as an object; null for NULL.</summary>
    internal object? Read(Data.ObjectCodec codec)
    {
        if (!_isText)
        {
            if (_left-- <= 0)
            {
                Malformed();
            }

            uint fieldId = _binary.ReadUInt32();
            PgField field = _binary.ReadField(fieldId);
            return field.IsNull ? null : codec.Read(field);
        }

        var scratch = new Utf8Sink([]);
        try
        {
            bool isNull = TakeText(ref scratch);
            return isNull ? null : codec.Read(new PgField(scratch.Written, TextTypeOf(codec.Type), PgFormat.Text, isNull));
        }
        finally
        {
            scratch.Dispose();
        }
    }

    private T ReadText<T>()
    {
        var scratch = new Utf8Sink([]);
        try
        {
            bool isNull = TakeText(ref scratch);
            return PgCodecs<T>.Instance.Read(new PgField(scratch.Written, TextTypeOf(typeof(T)), PgFormat.Text, isNull));
        }
        finally
        {
            scratch.Dispose();
        }
    }

    // Text does not say its type. Bytes are those of a bytea, and not those of its text.
    private static uint TextTypeOf(Type type)
        => type == typeof(byte[]) || type == typeof(ReadOnlyMemory<byte>) || type == typeof(ReadOnlyMemory<byte>?) ? PgTypeId.Bytea
            : type == typeof(byte[][]) || type == typeof(ReadOnlyMemory<byte>[]) ? PgTypeTable.ArrayOf(PgTypeId.Bytea)
            : 0;

    private bool TakeText(ref Utf8Sink scratch)
    {
        if (!TextQuoting.TryTakePart(ref _text, ",)"u8, ref scratch, out bool isNull) || !(_text.TryTake((byte)',') || _text.TryTake((byte)')')))
        {
            Malformed();
        }

        return isNull;
    }

    private readonly void Malformed() => TypeErrors.ThrowMalformed(_typeId, "it is no composite, or has fewer fields than are read");
}

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
