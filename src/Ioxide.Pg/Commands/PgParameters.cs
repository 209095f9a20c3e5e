using System.Runtime.CompilerServices;

namespace Ioxide.Pg;

/// <summary>The parameters of one use of a statement: values that write themselves into the message, without boxing.</summary>
public interface IPgParameters
{
    internal int Count { get; }

    /// <summary>Bytes of all values with their lengths.</summary>
    internal int Measure();

    /// <summary>Writes each value behind its length; NULL is the length -1.</summary>
    internal void Write(ref WireWriter writer);

    /// <summary>Writes the type of each parameter; 0 leaves it to the server.</summary>
    internal void WriteTypes(ref WireWriter writer);

    /// <summary>Writes the format of each parameter.</summary>
    internal void WriteFormats(ref WireWriter writer);

    /// <summary>0 where every value has its type's usual PostgreSQL type.</summary>
    internal ulong TypeKey { get; }
}

/// <summary>One value of a parameter list.</summary>
internal static class Parameter
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int Measure<T>(T value)
        => sizeof(int) + (PgCodecs<T>.Instance.IsNull(value) ? 0 : PgCodecs<T>.Instance.Measure(value));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void Write<T>(ref WireWriter writer, T value)
    {
        if (PgCodecs<T>.Instance.IsNull(value))
        {
            writer.WriteInt32(-1);
            return;
        }

        int length = PgCodecs<T>.Instance.Measure(value);
        writer.WriteInt32(length);
        PgCodecs<T>.Instance.Write(value, writer.Take(length));
    }

    /// <summary>1 shifted to the parameter's place where the value has another type than usual.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong KeyOf<T>(T value, int index)
        => PgCodecs<T>.Instance.IsTypeFixed || PgCodecs<T>.Instance.TypeIdOf(value) == PgCodecs<T>.Instance.TypeId ? 0 : 1ul << index;
}

/// <summary>No parameters.</summary>
public readonly struct PgNoParameters : IPgParameters
{
    int IPgParameters.Count => 0;

    ulong IPgParameters.TypeKey => 0;

    int IPgParameters.Measure() => 0;

    void IPgParameters.Write(ref WireWriter writer)
    {
    }

    void IPgParameters.WriteTypes(ref WireWriter writer)
    {
    }

    void IPgParameters.WriteFormats(ref WireWriter writer)
    {
    }
}

/// <summary>One value.</summary>
public readonly struct PgParameters<T1> : IPgParameters
{
    private readonly T1 _value1;

    internal PgParameters(T1 value1)
    {
        _value1 = value1;
    }

    int IPgParameters.Count => 1;

    ulong IPgParameters.TypeKey => Parameter.KeyOf(_value1, 0);

    int IPgParameters.Measure() => Parameter.Measure(_value1);

    void IPgParameters.Write(ref WireWriter writer)
    {
        Parameter.Write(ref writer, _value1);
    }

    void IPgParameters.WriteTypes(ref WireWriter writer)
    {
        writer.WriteUInt32(PgCodecs<T1>.Instance.TypeIdOf(_value1));
    }

    void IPgParameters.WriteFormats(ref WireWriter writer)
    {
        writer.WriteInt16((int)PgCodecs<T1>.Instance.ParameterFormat);
    }
}

/// <summary>Two values.</summary>
public readonly struct PgParameters<T1, T2> : IPgParameters
{
    private readonly T1 _value1;
    private readonly T2 _value2;

    internal PgParameters(T1 value1, T2 value2)
    {
        _value1 = value1;
        _value2 = value2;
    }

    int IPgParameters.Count => 2;

    ulong IPgParameters.TypeKey => Parameter.KeyOf(_value1, 0) | Parameter.KeyOf(_value2, 1);

    int IPgParameters.Measure() => Parameter.Measure(_value1) + Parameter.Measure(_value2);

    void IPgParameters.Write(ref WireWriter writer)
    {
        Parameter.Write(ref writer, _value1);
        Parameter.Write(ref writer, _value2);
    }

    void IPgParameters.WriteTypes(ref WireWriter writer)
    {
        writer.WriteUInt32(PgCodecs<T1>.Instance.TypeIdOf(_value1));
        writer.WriteUInt32(PgCodecs<T2>.Instance.TypeIdOf(_value2));
    }

    void IPgParameters.WriteFormats(ref WireWriter writer)
    {
        writer.WriteInt16((int)PgCodecs<T1>.Instance.ParameterFormat);
        writer.WriteInt16((int)PgCodecs<T2>.Instance.ParameterFormat);
    }
}

/// <summary>Three values.</summary>
public readonly struct PgParameters<T1, T2, T3> : IPgParameters
{
    private readonly T1 _value1;
    private readonly T2 _value2;
    private readonly T3 _value3;

    internal PgParameters(T1 value1, T2 value2, T3 value3)
    {
        _value1 = value1;
        _value2 = value2;
        _value3 = value3;
    }

    int IPgParameters.Count => 3;

    ulong IPgParameters.TypeKey => Parameter.KeyOf(_value1, 0) | Parameter.KeyOf(_value2, 1) | Parameter.KeyOf(_value3, 2);

    int IPgParameters.Measure() => Parameter.Measure(_value1) + Parameter.Measure(_value2) + Parameter.Measure(_value3);

    void IPgParameters.Write(ref WireWriter writer)
    {
        Parameter.Write(ref writer, _value1);
        Parameter.Write(ref writer, _value2);
        Parameter.Write(ref writer, _value3);
    }

    void IPgParameters.WriteTypes(ref WireWriter writer)
    {
        writer.WriteUInt32(PgCodecs<T1>.Instance.TypeIdOf(_value1));
        writer.WriteUInt32(PgCodecs<T2>.Instance.TypeIdOf(_value2));
        writer.WriteUInt32(PgCodecs<T3>.Instance.TypeIdOf(_value3));
    }

    void IPgParameters.WriteFormats(ref WireWriter writer)
    {
        writer.WriteInt16((int)PgCodecs<T1>.Instance.ParameterFormat);
        writer.WriteInt16((int)PgCodecs<T2>.Instance.ParameterFormat);
        writer.WriteInt16((int)PgCodecs<T3>.Instance.ParameterFormat);
    }
}

/// <summary>Four values.</summary>
public readonly struct PgParameters<T1, T2, T3, T4> : IPgParameters
{
    private readonly T1 _value1;
    private readonly T2 _value2;
    private readonly T3 _value3;
    private readonly T4 _value4;

    internal PgParameters(T1 value1, T2 value2, T3 value3, T4 value4)
    {
        _value1 = value1;
        _value2 = value2;
        _value3 = value3;
        _value4 = value4;
    }

    int IPgParameters.Count => 4;

    ulong IPgParameters.TypeKey => Parameter.KeyOf(_value1, 0) | Parameter.KeyOf(_value2, 1) | Parameter.KeyOf(_value3, 2) | Parameter.KeyOf(_value4, 3);

    int IPgParameters.Measure() => Parameter.Measure(_value1) + Parameter.Measure(_value2) + Parameter.Measure(_value3) + Parameter.Measure(_value4);

    void IPgParameters.Write(ref WireWriter writer)
    {
        Parameter.Write(ref writer, _value1);
        Parameter.Write(ref writer, _value2);
        Parameter.Write(ref writer, _value3);
        Parameter.Write(ref writer, _value4);
    }

    void IPgParameters.WriteTypes(ref WireWriter writer)
    {
        writer.WriteUInt32(PgCodecs<T1>.Instance.TypeIdOf(_value1));
        writer.WriteUInt32(PgCodecs<T2>.Instance.TypeIdOf(_value2));
        writer.WriteUInt32(PgCodecs<T3>.Instance.TypeIdOf(_value3));
        writer.WriteUInt32(PgCodecs<T4>.Instance.TypeIdOf(_value4));
    }

    void IPgParameters.WriteFormats(ref WireWriter writer)
    {
        writer.WriteInt16((int)PgCodecs<T1>.Instance.ParameterFormat);
        writer.WriteInt16((int)PgCodecs<T2>.Instance.ParameterFormat);
        writer.WriteInt16((int)PgCodecs<T3>.Instance.ParameterFormat);
        writer.WriteInt16((int)PgCodecs<T4>.Instance.ParameterFormat);
    }
}

/// <summary>Five values.</summary>
public readonly struct PgParameters<T1, T2, T3, T4, T5> : IPgParameters
{
    private readonly T1 _value1;
    private readonly T2 _value2;
    private readonly T3 _value3;
    private readonly T4 _value4;
    private readonly T5 _value5;

    internal PgParameters(T1 value1, T2 value2, T3 value3, T4 value4, T5 value5)
    {
        _value1 = value1;
        _value2 = value2;
        _value3 = value3;
        _value4 = value4;
        _value5 = value5;
    }

    int IPgParameters.Count => 5;

    ulong IPgParameters.TypeKey => Parameter.KeyOf(_value1, 0) | Parameter.KeyOf(_value2, 1) | Parameter.KeyOf(_value3, 2) | Parameter.KeyOf(_value4, 3) | Parameter.KeyOf(_value5, 4);

    int IPgParameters.Measure() => Parameter.Measure(_value1) + Parameter.Measure(_value2) + Parameter.Measure(_value3) + Parameter.Measure(_value4) + Parameter.Measure(_value5);

    void IPgParameters.Write(ref WireWriter writer)
    {
        Parameter.Write(ref writer, _value1);
        Parameter.Write(ref writer, _value2);
        Parameter.Write(ref writer, _value3);
        Parameter.Write(ref writer, _value4);
        Parameter.Write(ref writer, _value5);
    }

    void IPgParameters.WriteTypes(ref WireWriter writer)
    {
        writer.WriteUInt32(PgCodecs<T1>.Instance.TypeIdOf(_value1));
        writer.WriteUInt32(PgCodecs<T2>.Instance.TypeIdOf(_value2));
        writer.WriteUInt32(PgCodecs<T3>.Instance.TypeIdOf(_value3));
        writer.WriteUInt32(PgCodecs<T4>.Instance.TypeIdOf(_value4));
        writer.WriteUInt32(PgCodecs<T5>.Instance.TypeIdOf(_value5));
    }

    void IPgParameters.WriteFormats(ref WireWriter writer)
    {
        writer.WriteInt16((int)PgCodecs<T1>.Instance.ParameterFormat);
        writer.WriteInt16((int)PgCodecs<T2>.Instance.ParameterFormat);
        writer.WriteInt16((int)PgCodecs<T3>.Instance.ParameterFormat);
        writer.WriteInt16((int)PgCodecs<T4>.Instance.ParameterFormat);
        writer.WriteInt16((int)PgCodecs<T5>.Instance.ParameterFormat);
    }
}

/// <summary>Six values.</summary>
public readonly struct PgParameters<T1, T2, T3, T4, T5, T6> : IPgParameters
{
    private readonly T1 _value1;
    private readonly T2 _value2;
    private readonly T3 _value3;
    private readonly T4 _value4;
    private readonly T5 _value5;
    private readonly T6 _value6;

    internal PgParameters(T1 value1, T2 value2, T3 value3, T4 value4, T5 value5, T6 value6)
    {
        _value1 = value1;
        _value2 = value2;
        _value3 = value3;
        _value4 = value4;
        _value5 = value5;
        _value6 = value6;
    }

    int IPgParameters.Count => 6;

    ulong IPgParameters.TypeKey => Parameter.KeyOf(_value1, 0) | Parameter.KeyOf(_value2, 1) | Parameter.KeyOf(_value3, 2) | Parameter.KeyOf(_value4, 3) | Parameter.KeyOf(_value5, 4) | Parameter.KeyOf(_value6, 5);

    int IPgParameters.Measure() => Parameter.Measure(_value1) + Parameter.Measure(_value2) + Parameter.Measure(_value3) + Parameter.Measure(_value4) + Parameter.Measure(_value5) + Parameter.Measure(_value6);

    void IPgParameters.Write(ref WireWriter writer)
    {
        Parameter.Write(ref writer, _value1);
        Parameter.Write(ref writer, _value2);
        Parameter.Write(ref writer, _value3);
        Parameter.Write(ref writer, _value4);
        Parameter.Write(ref writer, _value5);
        Parameter.Write(ref writer, _value6);
    }

    void IPgParameters.WriteTypes(ref WireWriter writer)
    {
        writer.WriteUInt32(PgCodecs<T1>.Instance.TypeIdOf(_value1));
        writer.WriteUInt32(PgCodecs<T2>.Instance.TypeIdOf(_value2));
        writer.WriteUInt32(PgCodecs<T3>.Instance.TypeIdOf(_value3));
        writer.WriteUInt32(PgCodecs<T4>.Instance.TypeIdOf(_value4));
        writer.WriteUInt32(PgCodecs<T5>.Instance.TypeIdOf(_value5));
        writer.WriteUInt32(PgCodecs<T6>.Instance.TypeIdOf(_value6));
    }

    void IPgParameters.WriteFormats(ref WireWriter writer)
    {
        writer.WriteInt16((int)PgCodecs<T1>.Instance.ParameterFormat);
        writer.WriteInt16((int)PgCodecs<T2>.Instance.ParameterFormat);
        writer.WriteInt16((int)PgCodecs<T3>.Instance.ParameterFormat);
        writer.WriteInt16((int)PgCodecs<T4>.Instance.ParameterFormat);
        writer.WriteInt16((int)PgCodecs<T5>.Instance.ParameterFormat);
        writer.WriteInt16((int)PgCodecs<T6>.Instance.ParameterFormat);
    }
}
