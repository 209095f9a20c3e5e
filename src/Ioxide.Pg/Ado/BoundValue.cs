using System.Data;

namespace Ioxide.Pg.Data;

/// <summary>The value of a parameter with its codec, as it was when the command started.</summary>
internal readonly struct BoundValue
{
    private readonly object? _value;
    private readonly ObjectCodec? _codec;

    private BoundValue(object? value, ObjectCodec? codec, uint typeId)
    {
        _value = value;
        _codec = codec;
        TypeId = typeId;
    }

    internal uint TypeId { get; }

    internal PgFormat Format => _codec?.Format ?? PgFormat.Text;

    /// <summary>Chooses the codec, and the type to send: the declared one, else the value's own.</summary>
    /// <remarks>A binary form is never sent under another type's OID, nor without an OID.</remarks>
    /// <exception cref="InvalidCastException">The value's type is unknown, or does not fit the declared type.</exception>
    /// <exception cref="ArgumentException">The kind of a moment does not fit the declared type.</exception>
    /// <exception cref="OverflowException">The declared type cannot hold the number.</exception>
    internal static BoundValue Of(object? value, DbType? declared, uint typeId, TypeCatalog types)
    {
        uint target = typeId != 0 || declared is not { } type ? typeId : ParameterConversion.TypeIdOf(type);
        if (value is null or DBNull)
        {
            return new BoundValue(null, null, target);
        }

        if (ObjectCodecRegistry.Find(value.GetType()) is not { } codec)
        {
            codec = BoundElements.Bind(ref value, types.ElementOf(target), target, types) ?? ParameterConversion.Adapt(ref value);
        }

        uint own = codec.TypeIdOf(value);
        if (own == 0 && types.TryFind(codec.Type, out (uint TypeId, ObjectCodec? Codec) found))
        {
            own = found.TypeId;
            codec = found.Codec ?? codec;
        }

        if (target != 0 && own != target)
        {
            own = ParameterConversion.Convert(ref value, ref codec, own, target, typeId != 0, types);
        }

        return new BoundValue(value, codec, own);
    }

    /// <summary>The type that a value is sent as where none is declared; 0 where the database decides, or there is none.</summary>
    internal static uint TypeIdOf(object value)
    {
        try
        {
            return Of(value, null, 0, TypeCatalog.Empty).TypeId;
        }
        catch (InvalidCastException)
        {
            return 0;
        }
    }

    internal bool IsNull => _value is null;

    // Neither is called for NULL.
    internal int MeasureValue() => _codec!.Measure(_value!);

    internal void WriteValue(Span<byte> destination) => _codec!.Write(_value!, destination);

    internal int MeasureText() => _codec!.MeasureText(_value!);

    internal void WriteText(Span<byte> destination) => _codec!.CopyText(_value!, destination);

    internal int Measure() => sizeof(int) + (_value is null ? 0 : _codec!.Measure(_value));

    internal void Write(ref WireWriter writer)
    {
        if (_value is null)
        {
            writer.WriteInt32(-1);
            return;
        }

        int length = _codec!.Measure(_value);
        writer.WriteInt32(length);
        _codec.Write(_value, writer.Take(length));
    }
}

/// <summary>The values of one statement.</summary>
internal readonly struct BoundValues(BoundValue[] values, int count) : IPgParameters
{
    private ReadOnlySpan<BoundValue> Values => values.AsSpan(0, count);

    int IPgParameters.Count => count;

    ulong IPgParameters.TypeKey
    {
        get
        {
            ulong key = TypeKeys.Start;
            foreach (ref readonly BoundValue value in Values)
            {
                key = TypeKeys.With(key, value.TypeId);
            }

            return count == 0 ? 0 : key | 1;
        }
    }

    int IPgParameters.Measure()
    {
        int length = 0;
        foreach (ref readonly BoundValue value in Values)
        {
            length = checked(length + value.Measure());
        }

        return length;
    }

    void IPgParameters.Write(ref WireWriter writer)
    {
        foreach (ref readonly BoundValue value in Values)
        {
            value.Write(ref writer);
        }
    }

    void IPgParameters.WriteTypes(ref WireWriter writer)
    {
        foreach (ref readonly BoundValue value in Values)
        {
            writer.WriteUInt32(value.TypeId);
        }
    }

    void IPgParameters.WriteFormats(ref WireWriter writer)
    {
        foreach (ref readonly BoundValue value in Values)
        {
            writer.WriteInt16((int)value.Format);
        }
    }
}
