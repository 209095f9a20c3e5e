using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Ioxide.Pg;

/// <summary>One value of a parameter list.</summary>
internal static class Parameter
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int Measure<T>(T value)
        => sizeof(int) + (CodecFor<T>.Instance.IsNull(value) ? 0 : CodecFor<T>.Instance.Measure(value));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void Write<T>(ref WireWriter writer, T value)
    {
        if (CodecFor<T>.Instance.IsNull(value))
        {
            writer.WriteInt32(-1);
            return;
        }

        int length = CodecFor<T>.Instance.Measure(value);
        writer.WriteInt32(length);
        CodecFor<T>.Instance.Write(value, writer.Take(length));
    }

    /// <summary>1 shifted to the parameter's position if the value has an unusual type.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong KeyOf<T>(T value, int index)
        => CodecFor<T>.Instance.IsTypeFixed || CodecFor<T>.Instance.TypeIdOf(value) == CodecFor<T>.Instance.TypeId ? 0 : 1ul << index;
}

/// <summary>A list of values followed by one more value.</summary>
/// <typeparam name="TRest">The preceding values: <see cref="PgNoParameters"/>, or such a list.</typeparam>
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

    // A call on the read-only field would copy the list, once for each later value.
    [UnscopedRef]
    private ref TRest Rest => ref Unsafe.AsRef(in _rest);

    /// <summary>The list with one more value.</summary>
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
        writer.WriteUInt32(CodecFor<T>.Instance.TypeIdOf(_value));
    }

    void IPgParameters.WriteFormats(ref WireWriter writer)
    {
        Rest.WriteFormats(ref writer);
        writer.WriteInt16((int)CodecFor<T>.Instance.ParameterFormat);
    }
}
