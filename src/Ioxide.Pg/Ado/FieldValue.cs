using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Text.Json;

namespace Ioxide.Pg.Data;

/// <summary>
/// A field as the value that a caller of ADO.NET requests, with the conversions, refusals and exceptions of Npgsql: a column of a row, or a field
/// of a composite.
/// </summary>
/// <remarks>
/// A whole number that does not fit is an <see cref="OverflowException"/>, and a numeric that is read as a whole number loses its fraction.
/// </remarks>
/// <param name="field">The field.</param>
/// <param name="reader">Reads a value of its type.</param>
/// <param name="owner">Names the field in messages.</param>
/// <param name="ordinal">Its number.</param>
internal readonly ref struct FieldValue(PgField field, ColumnReader reader, DbDataReader owner, int ordinal)
{
    private readonly PgField _field = field;

    private PgTypeKind Kind => PgTypeTable.KindOf(_field.TypeId);

    private bool IsBytea => _field.TypeId == PgTypeId.Bytea;

    private bool IsArray => reader.Type == typeof(Array);

    private bool IsNumeric => _field is { TypeId: PgTypeId.Numeric, Format: PgFormat.Binary };

    private string What => owner is PgDbNestedDataReader ? $"Field {ordinal}" : $"Column '{owner.GetName(ordinal)}'";

    /// <summary>The field, which is not NULL.</summary>
    internal PgField NotNull() => _field.IsNull ? throw Null() : _field;

    /// <summary>The value in the type that fits the field best; <see cref="DBNull"/> for NULL.</summary>
    internal object Object()
    {
        if (_field.IsNull)
        {
            return DBNull.Value;
        }

        try
        {
            return reader.Read(_field);
        }
        catch (PgTypeException refused)
        {
            throw Refusal(refused, isNumber: true);
        }
    }

    internal T As<T>()
    {
        if (typeof(T) == typeof(int))
        {
            int value = Number<int>();
            return Unsafe.As<int, T>(ref value);
        }

        if (typeof(T) == typeof(long))
        {
            long value = Number<long>();
            return Unsafe.As<long, T>(ref value);
        }

        if (typeof(T) == typeof(object))
        {
            return (T)Object();
        }

        if (_field.IsNull)
        {
            return typeof(T) == typeof(DBNull) ? (T)(object)DBNull.Value
                : Nullable.GetUnderlyingType(typeof(T)) is not null ? default! // NULL is null for a type that can be null.
                : throw Null();
        }

        return TryGetNumber(out T number) ? number
            : typeof(T) == typeof(string) ? (T)(object)Text()
            : typeof(T) == typeof(char) ? (T)(object)Char()
            : TryGetNumbers(out T numbers) ? numbers
            : typeof(T) == typeof(char[]) && !IsArray ? (T)(object)Text().ToCharArray()
            : typeof(T) == typeof(byte[]) ? (T)(object)ByteArray()
            : typeof(T) == typeof(ReadOnlyMemory<byte>) ? (T)(object)(ReadOnlyMemory<byte>)ByteArray()
            : typeof(T) == typeof(Memory<byte>) && IsBytea ? (T)(object)(Memory<byte>)ByteArray()
            : typeof(T) == typeof(ArraySegment<byte>) && IsBytea ? (T)(object)(ArraySegment<byte>)ByteArray()
            : Convert<T>();
    }

    /// <summary>A number, in the width that the caller requests.</summary>
    internal T Number<T>()
        where T : struct, INumberBase<T>
    {
        PgField field = NotNull();
        switch (Kind)
        {
            case PgTypeKind.Int4 when typeof(T) == typeof(int):
            case PgTypeKind.Int8 when typeof(T) == typeof(long):
                return Convert<T>();
            case PgTypeKind.Int2:
            case PgTypeKind.Int4:
            case PgTypeKind.Int8:
                return T.CreateChecked(CodecFor<long>.Instance.Read(field));
            case PgTypeKind.Numeric:
                return typeof(T) == typeof(double) || typeof(T) == typeof(float)
                    ? Checked(T.CreateChecked(Approximate()))
                    : T.CreateChecked(Convert<decimal>());
            case PgTypeKind.Float8 when typeof(T) == typeof(float):
                return T.CreateChecked(CodecFor<double>.Instance.Read(field));
            case PgTypeKind.Text when typeof(T) == typeof(byte) && field is { TypeId: PgTypeId.InternalChar, Bytes: [var one] }:
                return T.CreateChecked(one);
            default:
                return Convert<T>();
        }
    }

    /// <summary>The text of a text, json, jsonb, xml, bit or <c>"char"</c>, or of a type that arrives as text only.</summary>
    internal string Text()
    {
        if (NotNull() is { TypeId: PgTypeId.InternalChar, Bytes: [var one] })
        {
            // One byte of any value; the server prints zero as an empty text.
            return one == 0 ? "" : ((char)one).ToString();
        }

        if (Kind != PgTypeKind.Bits)
        {
            RequireText(typeof(string));
        }

        return CodecFor<string>.Instance.Read(_field);
    }

    internal char Char()
    {
        if (NotNull() is { TypeId: PgTypeId.InternalChar, Bytes: [var one] })
        {
            return (char)one;
        }

        string text = Text();
        return text.Length > 0 ? text[0] : throw new InvalidCastException($"{What} is an empty text; it has no character.");
    }

    /// <summary>The value itself for bytea and text, the binary form for other types.</summary>
    internal ReadOnlySpan<byte> Bytes()
        => NotNull() is { TypeId: PgTypeId.Bytea, Format: PgFormat.Text } ? CodecFor<byte[]>.Instance.Read(_field) : BytesCodec.ReceivedOf(_field);

    /// <summary>The value, read by the codec of a type.</summary>
    internal T Convert<T>()
    {
        PgField field = NotNull();
        if (typeof(T) == typeof(byte[][]) || typeof(T) == typeof(List<byte[]>) || typeof(T) == typeof(ReadOnlyMemory<byte>[]))
        {
            RequireBytes(typeof(T));
        }

        try
        {
            return reader.IsOfDatabase && reader.ReadAs(typeof(T), field) is T known ? known : CodecFor<T>.Instance.Read(field);
        }
        catch (PgTypeException refused)
        {
            throw Refusal(refused, typeof(T) == typeof(decimal));
        }
        catch (JsonException malformed)
        {
            throw new InvalidCastException($"{What} is no JSON.", malformed);
        }
    }

    /// <summary>Whether a type is a number, and the value as that number.</summary>
    private bool TryGetNumber<T>(out T value)
    {
        Unsafe.SkipInit(out value);
        return TryGetNumber<T, byte>(ref value) || TryGetNumber<T, sbyte>(ref value)
            || TryGetNumber<T, short>(ref value) || TryGetNumber<T, ushort>(ref value)
            || TryGetNumber<T, int>(ref value) || TryGetNumber<T, uint>(ref value)
            || TryGetNumber<T, long>(ref value) || TryGetNumber<T, ulong>(ref value)
            || TryGetNumber<T, float>(ref value) || TryGetNumber<T, double>(ref value)
            || TryGetNumber<T, decimal>(ref value);
    }

    /// <summary>Decided at compile time: one call remains, or none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryGetNumber<T, TNumber>(ref T value)
        where TNumber : struct, INumberBase<TNumber>
    {
        if (typeof(T) == typeof(TNumber))
        {
            Unsafe.As<T, TNumber>(ref value) = Number<TNumber>();
            return true;
        }

        if (typeof(T) == typeof(TNumber?))
        {
            Unsafe.As<T, TNumber?>(ref value) = Number<TNumber>();
            return true;
        }

        return false;
    }

    /// <summary>Whether a type is an array or a list of numbers and the field is an array of numbers; and the value as that type.</summary>
    private bool TryGetNumbers<T>(out T value)
    {
        object? numbers = default(T) is null && IsArray ? NumbersAs<T>() : null;
        value = numbers is null ? default! : (T)numbers;
        return numbers is not null;
    }

    private object? NumbersAs<T>()
        => NumbersAs<T, byte>() ?? NumbersAs<T, sbyte>() ?? NumbersAs<T, short>() ?? NumbersAs<T, int>()
            ?? NumbersAs<T, long>() ?? NumbersAs<T, float>() ?? NumbersAs<T, double>() ?? NumbersAs<T, decimal>();

    private object? NumbersAs<T, TNumber>()
        where TNumber : struct, INumberBase<TNumber>
        => typeof(T) == typeof(TNumber[]) ? Numbers<TNumber>()
            : typeof(T) == typeof(List<TNumber>) ? Numbers<TNumber>()?.ToList()
            : typeof(T) == typeof(TNumber?[]) ? NullableNumbers<TNumber>()
            : null;

    /// <summary>The elements in another width; null where they are no numbers, or have more than one dimension.</summary>
    private T[]? Numbers<T>()
        where T : struct, INumberBase<T>
        => Object() switch
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

    private T?[]? NullableNumbers<T>()
        where T : struct, INumberBase<T>
        => PgTypeTable.ElementOf(_field.TypeId) switch
        {
            PgTypeId.Int2 => Widened<T, short>(),
            PgTypeId.Int4 => Widened<T, int>(),
            PgTypeId.Int8 => Widened<T, long>(),
            PgTypeId.Numeric => Widened<T, decimal>(),
            _ => null,
        };

    private T?[] Widened<T, TFrom>()
        where T : struct, INumberBase<T>
        where TFrom : struct, INumberBase<TFrom>
        => Array.ConvertAll(Convert<TFrom?[]>(), static number => number is { } value ? T.CreateChecked(value) : (T?)null);

    /// <summary>A finite numeric is no infinity.</summary>
    private T Checked<T>(T approximate)
        where T : struct, INumberBase<T>
        => T.IsInfinity(approximate) && IsNumeric && !new NumericView(_field.Bytes).IsSpecial
            ? throw new OverflowException($"{What} is a number outside the range of {typeof(T).Name}: use {nameof(PgNumeric)}.")
            : approximate;

    /// <summary>A numeric as the nearest double, even if <see cref="decimal"/> cannot hold it.</summary>
    private double Approximate()
        => _field.Format == PgFormat.Binary && NumericDecimal.TryRead(new NumericView(_field.Bytes), out decimal value)
            ? (double)value
            : double.Parse(Convert<PgNumeric>().ToString(), NumberStyles.Float, CultureInfo.InvariantCulture);

    private byte[] ByteArray()
    {
        ReadOnlySpan<byte> bytes = Bytes();
        if (!IsBytea)
        {
            RequireText(typeof(byte[]));
        }

        return bytes.ToArray();
    }

    private void RequireText(Type asked)
    {
        if (!reader.IsText && _field.TypeId != PgTypeId.InternalChar)
        {
            throw new InvalidCastException(
                $"{What} is {owner.GetDataTypeName(ordinal)}, which is not read as {asked.Name}. " +
                $"Cast it to text in the statement, or read it as {reader.Type.Name}.");
        }
    }

    /// <summary>The elements are bytea or text: the binary form of others is the wire's.</summary>
    private void RequireBytes(Type asked)
    {
        uint elementId = PgTypeTable.ElementOf(_field.TypeId);
        if (PgTypeTable.Knows(_field.TypeId) && elementId != PgTypeId.Bytea
            && PgTypeTable.KindOf(elementId) is not (PgTypeKind.Text or PgTypeKind.Json or PgTypeKind.Jsonb))
        {
            throw new InvalidCastException($"{What} is {owner.GetDataTypeName(ordinal)}, which is not read as {TypeErrors.NameOf(asked)}.");
        }
    }

    /// <summary>ADO.NET expects exactly these exception types; the rows of <see cref="PgDataSource"/> throw their own.</summary>
    private SystemException Refusal(PgTypeException refused, bool isNumber)
    {
        string message = $"{What}: {refused.Message}";
        return isNumber && refused.IsRange && IsNumeric && new NumericView(_field.Bytes).Sign != NumericView.NaN
            ? new OverflowException(message, refused)
            : new InvalidCastException(message, refused);
    }

    /// <summary>The part of the caller's buffer that may be filled.</summary>
    internal static Span<T> Target<T>(long dataOffset, T[] buffer, int bufferOffset, int length)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(dataOffset);
        if (bufferOffset < 0 || bufferOffset > buffer.Length || length < 0 || length > buffer.Length - bufferOffset)
        {
            throw OutOfRange($"{length} elements from {bufferOffset} are no part of the buffer, which has {buffer.Length}.");
        }

        return buffer.AsSpan(bufferOffset, length);
    }

    internal static int Copy<T>(ReadOnlySpan<T> value, long dataOffset, Span<T> target)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(dataOffset, value.Length);
        ReadOnlySpan<T> rest = value[(int)dataOffset..];
        rest = rest[..Math.Min(rest.Length, target.Length)];
        rest.CopyTo(target);
        return rest.Length;
    }

    [SuppressMessage("Usage", "CA2201", Justification = "ADO.NET's contract names this exception.")]
    internal static IndexOutOfRangeException OutOfRange(string message) => new(message);

    internal InvalidCastException Null() => new($"{What} is null. Ask {nameof(DbDataReader.IsDBNull)} first, or read it as a nullable type.");
}
