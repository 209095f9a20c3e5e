using System.Diagnostics.CodeAnalysis;
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

/// <summary>No parameters, and what a list of them begins with.</summary>
public readonly struct PgNoParameters : IPgParameters
{
    int IPgParameters.Count => 0;

    ulong IPgParameters.TypeKey => 0;

    /// <summary>A list with its first value.</summary>
    internal PgParameters<PgNoParameters, T> And<T>(T value) => new(this, value);

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

/// <summary>A list of values, and one value more.</summary>
/// <typeparam name="TRest">The values in front: <see cref="PgNoParameters"/>, or such a list.</typeparam>
/// <typeparam name="T">The last value.</typeparam>
public readonly struct PgParameters<TRest, T> : IPgParameters
    where TRest : struct, IPgParameters
{
    private readonly TRest _rest;
    private readonly T _value;

    internal PgParameters(in TRest rest, T value)
    {
        _rest = rest;
        _value = value;
    }

    int IPgParameters.Count => Rest.Count + 1;

    ulong IPgParameters.TypeKey => Rest.TypeKey | Parameter.KeyOf(_value, Rest.Count);

    // A call on the read-only field would copy the list, once for each value behind it.
    [UnscopedRef]
    private ref TRest Rest => ref Unsafe.AsRef(in _rest);

    /// <summary>The list with one value more.</summary>
    internal PgParameters<PgParameters<TRest, T>, TNext> And<TNext>(TNext value) => new(this, value);

    int IPgParameters.Measure() => Rest.Measure() + Parameter.Measure(_value);

    void IPgParameters.Write(ref WireWriter writer)
    {
        Rest.Write(ref writer);
        Parameter.Write(ref writer, _value);
    }

    void IPgParameters.WriteTypes(ref WireWriter writer)
    {
        Rest.WriteTypes(ref writer);
        writer.WriteUInt32(PgCodecs<T>.Instance.TypeIdOf(_value));
    }

    void IPgParameters.WriteFormats(ref WireWriter writer)
    {
        Rest.WriteFormats(ref writer);
        writer.WriteInt16((int)PgCodecs<T>.Instance.ParameterFormat);
    }
}
