using System.Globalization;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace Ioxide.Pg.Data;

/// <summary>Numbers, in the width that the caller requests.</summary>
/// <remarks>
/// As in Npgsql: a whole number that does not fit is an <see cref="OverflowException"/>, and a numeric that is read as a whole number loses
/// its fraction.
/// </remarks>
public sealed partial class PgDbDataReader
{
    /// <inheritdoc/>
    public override byte GetByte(int ordinal) => At(ordinal).GetNumber<byte>(ordinal);

    /// <inheritdoc/>
    public override short GetInt16(int ordinal) => At(ordinal).GetNumber<short>(ordinal);

    /// <inheritdoc/>
    public override int GetInt32(int ordinal) => At(ordinal).Int32At(ordinal);

    private int Int32At(int ordinal)
        => KindOf(ordinal) == PgTypeKind.Int4 ? Value(ordinal).GetInt32(ordinal) : GetNumber<int>(ordinal);

    /// <inheritdoc/>
    public override long GetInt64(int ordinal) => At(ordinal).Int64At(ordinal);

    private long Int64At(int ordinal)
        => KindOf(ordinal) == PgTypeKind.Int8 ? Value(ordinal).GetInt64(ordinal) : GetNumber<long>(ordinal);

    /// <inheritdoc/>
    public override float GetFloat(int ordinal) => At(ordinal).GetNumber<float>(ordinal);

    /// <inheritdoc/>
    public override double GetDouble(int ordinal) => At(ordinal).GetNumber<double>(ordinal);

    /// <inheritdoc/>
    public override decimal GetDecimal(int ordinal) => At(ordinal).GetNumber<decimal>(ordinal);

    /// <summary>Whether a type is a number, and the value as that number.</summary>
    private bool TryGetNumber<T>(int ordinal, out T value)
    {
        Unsafe.SkipInit(out value);
        return TryGetNumber<T, byte>(ordinal, ref value) || TryGetNumber<T, sbyte>(ordinal, ref value)
            || TryGetNumber<T, short>(ordinal, ref value) || TryGetNumber<T, ushort>(ordinal, ref value)
            || TryGetNumber<T, int>(ordinal, ref value) || TryGetNumber<T, uint>(ordinal, ref value)
            || TryGetNumber<T, long>(ordinal, ref value) || TryGetNumber<T, ulong>(ordinal, ref value)
            || TryGetNumber<T, float>(ordinal, ref value) || TryGetNumber<T, double>(ordinal, ref value)
            || TryGetNumber<T, decimal>(ordinal, ref value);
    }

    /// <summary>Decided at compile time: one call remains, or none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryGetNumber<T, TNumber>(int ordinal, ref T value)
        where TNumber : struct, INumberBase<TNumber>
    {
        if (typeof(T) == typeof(TNumber))
        {
            Unsafe.As<T, TNumber>(ref value) = GetNumber<TNumber>(ordinal);
            return true;
        }

        if (typeof(T) == typeof(TNumber?))
        {
            Unsafe.As<T, TNumber?>(ref value) = GetNumber<TNumber>(ordinal);
            return true;
        }

        return false;
    }

    /// <summary>Whether a type is an array or a list of numbers and the column is an array of numbers; and the value as that type.</summary>
    private bool TryGetNumbers<T>(int ordinal, out T value)
    {
        object? numbers = default(T) is null && IsArray(ordinal) ? NumbersAt<T>(ordinal) : null;
        value = numbers is null ? default! : (T)numbers;
        return numbers is not null;
    }

    private object? NumbersAt<T>(int ordinal)
        => NumbersAt<T, byte>(ordinal) ?? NumbersAt<T, sbyte>(ordinal) ?? NumbersAt<T, short>(ordinal) ?? NumbersAt<T, int>(ordinal)
            ?? NumbersAt<T, long>(ordinal) ?? NumbersAt<T, float>(ordinal) ?? NumbersAt<T, double>(ordinal) ?? NumbersAt<T, decimal>(ordinal);

    private object? NumbersAt<T, TNumber>(int ordinal)
        where TNumber : struct, INumberBase<TNumber>
        => typeof(T) == typeof(TNumber[]) ? Numbers<TNumber>(ordinal)
            : typeof(T) == typeof(List<TNumber>) ? Numbers<TNumber>(ordinal)?.ToList()
            : typeof(T) == typeof(TNumber?[]) ? NullableNumbers<TNumber>(ordinal)
            : null;

    /// <summary>The elements in another width; null where they are no numbers, or have more than one dimension.</summary>
    private T[]? Numbers<T>(int ordinal)
        where T : struct, INumberBase<T>
        => ObjectAt(ordinal) switch
        {
            T[] numbers => numbers,
            short[] numbers => Array.ConvertAll(numbers, T.CreateChecked),
            int[] numbers => Array.ConvertAll(numbers, T.CreateChecked),
            long[] numbers => Array.ConvertAll(numbers, T.CreateChecked),
            decimal[] numbers => Array.ConvertAll(numbers, T.CreateChecked),
            float[] numbers when typeof(T) == typeof(double) => Array.ConvertAll(numbers, T.CreateChecked),
            double[] numbers when typeof(T) == typeof(float) => Array.ConvertAll(numbers, T.CreateChecked),
            _ => null,
        };

    private T?[]? NullableNumbers<T>(int ordinal)
        where T : struct, INumberBase<T>
        => PgTypeTable.ElementOf(_shape.Columns.TypeIds[ordinal]) switch
        {
            PgTypeId.Int2 => Widened<T, short>(ordinal),
            PgTypeId.Int4 => Widened<T, int>(ordinal),
            PgTypeId.Int8 => Widened<T, long>(ordinal),
            PgTypeId.Numeric => Widened<T, decimal>(ordinal),
            _ => null,
        };

    private T?[] Widened<T, TFrom>(int ordinal)
        where T : struct, INumberBase<T>
        where TFrom : struct, INumberBase<TFrom>
        => Array.ConvertAll(Convert<TFrom?[]>(ordinal), static number => number is { } value ? T.CreateChecked(value) : (T?)null);

    private T GetNumber<T>(int ordinal)
        where T : struct, INumberBase<T>
    {
        switch (KindOf(ordinal))
        {
            case PgTypeKind.Int2:
            case PgTypeKind.Int4:
            case PgTypeKind.Int8:
                return T.CreateChecked(Value(ordinal).GetInt64(ordinal));
            case PgTypeKind.Numeric:
                return typeof(T) == typeof(double) || typeof(T) == typeof(float)
                    ? Checked(ordinal, T.CreateChecked(GetApproximate(ordinal)))
                    : T.CreateChecked(Convert<decimal>(ordinal));
            case PgTypeKind.Float8 when typeof(T) == typeof(float):
                return T.CreateChecked(Value(ordinal).GetDouble(ordinal));
            case PgTypeKind.Text when typeof(T) == typeof(byte) && Value(ordinal)[ordinal] is { TypeId: PgTypeId.InternalChar, Bytes: [var one] }:
                return T.CreateChecked(one);
            default:
                return Convert<T>(ordinal);
        }
    }

    /// <summary>A finite numeric is no infinity.</summary>
    private T Checked<T>(int ordinal, T approximate)
        where T : struct, INumberBase<T>
        => T.IsInfinity(approximate) && IsNumeric(ordinal) && !new NumericView(Row(ordinal)[ordinal].Bytes).IsSpecial
            ? throw new OverflowException(
                $"Column '{_shape.Names[ordinal]}' is a number outside the range of {typeof(T).Name}: use {nameof(PgNumeric)}.")
            : approximate;

    /// <summary>A numeric as the nearest double, even if <see cref="decimal"/> cannot hold it.</summary>
    private double GetApproximate(int ordinal)
    {
        PgField field = Value(ordinal)[ordinal];
        return field.Format == PgFormat.Binary && NumericDecimal.TryRead(new NumericView(field.Bytes), out decimal value)
            ? (double)value
            : double.Parse(Convert<PgNumeric>(ordinal).ToString(), NumberStyles.Float, CultureInfo.InvariantCulture);
    }
}
