namespace Ioxide.Pg;

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
