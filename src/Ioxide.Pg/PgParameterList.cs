namespace Ioxide.Pg;

/// <summary>Values of any number and types, for SQL that is not known when the program is written. Allocates one object per value.</summary>
public readonly struct PgParameterList : IPgParameters
{
    private readonly PgParameterValue[] _values;

    /// <param name="values">In the order of <c>$1</c>, <c>$2</c>; must not change until the await completes.</param>
    public PgParameterList(params PgParameterValue[] values)
    {
        ArgumentNullException.ThrowIfNull(values);
        _values = values;
    }

    int IPgParameters.Count => Values.Length;

    ulong IPgParameters.TypeKey
    {
        get
        {
            ulong key = TypeKeys.Start;
            foreach (PgParameterValue value in Values)
            {
                key = TypeKeys.With(key, value.TypeId);
            }

            return Values.Length == 0 ? 0 : key | 1;
        }
    }

    private PgParameterValue[] Values => _values ?? [];

    int IPgParameters.Measure()
    {
        int length = 0;
        foreach (PgParameterValue value in Values)
        {
            length = checked(length + value.MeasureWithLength());
        }

        return length;
    }

    void IPgParameters.Write(ref WireWriter writer)
    {
        foreach (PgParameterValue value in Values)
        {
            value.Write(ref writer);
        }
    }

    void IPgParameters.WriteTypes(ref WireWriter writer)
    {
        foreach (PgParameterValue value in Values)
        {
            writer.WriteUInt32(value.TypeId);
        }
    }

    void IPgParameters.WriteFormats(ref WireWriter writer)
    {
        foreach (PgParameterValue value in Values)
        {
            writer.WriteInt16((int)value.Format);
        }
    }
}

/// <summary>One value of a known type.</summary>
internal sealed class PgParameterValue<T>(T value) : PgParameterValue
{
    internal override uint TypeId => CodecFor<T>.Instance.TypeIdOf(value);

    internal override PgFormat Format => CodecFor<T>.Instance.ParameterFormat;

    internal override int MeasureWithLength() => Parameter.Measure(value);

    internal override void Write(ref WireWriter writer) => Parameter.Write(ref writer, value);
}

/// <summary>A number that identifies a list of types: the same text with other types is another statement on the server.</summary>
/// <remarks>FNV-1a, 64 bit. 0 stands for the usual types.</remarks>
internal static class TypeKeys
{
    internal const ulong Start = 14695981039346656037;

    internal static ulong With(ulong key, uint typeId) => (key ^ typeId) * 1099511628211;
}
