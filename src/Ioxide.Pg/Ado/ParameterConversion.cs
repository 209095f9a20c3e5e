using System.Collections;
using System.Data;
using System.Globalization;
using System.Numerics;
using System.Text;

namespace Ioxide.Pg.Data;

/// <summary>Converts a parameter's value to the declared type.</summary>
/// <remarks>
/// As in Npgsql: numbers become numbers of the declared width. For a whole type the fraction is dropped, and a number that does not fit is an
/// <see cref="OverflowException"/>. Beyond Npgsql, a text is sent as the literal of any type.
/// </remarks>
internal static class ParameterConversion
{
    private const decimal MoneyUnits = 100;

    private static readonly UTF8Encoding s_utf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);
    private static readonly ObjectCodec s_oid = new ObjectCodec<uint>(CodecFor<uint>.Instance);
    private static readonly ObjectCodec s_xid8 = new ObjectCodec<ulong>(CodecFor<ulong>.Instance);

    /// <summary>The type that a <see cref="DbType"/> stands for; 0: the value decides.</summary>
    internal static uint TypeIdOf(DbType type) => type switch
    {
        DbType.Boolean => PgTypeId.Bool,
        DbType.Byte or DbType.SByte or DbType.Int16 => PgTypeId.Int2,
        DbType.UInt16 or DbType.Int32 => PgTypeId.Int4,
        DbType.UInt32 or DbType.Int64 => PgTypeId.Int8,
        DbType.Single => PgTypeId.Float4,
        DbType.Double => PgTypeId.Float8,
        DbType.Decimal or DbType.VarNumeric or DbType.UInt64 => PgTypeId.Numeric,
        DbType.Currency => PgTypeId.Money,
        DbType.Guid => PgTypeId.Uuid,
        DbType.Binary => PgTypeId.Bytea,
        DbType.Date => PgTypeId.Date,
        DbType.Time => PgTypeId.Time,
        DbType.DateTime2 => PgTypeId.Timestamp,
        DbType.DateTime or DbType.DateTimeOffset => PgTypeId.TimestampTz,
        DbType.Xml => PgTypeId.Xml,
        DbType.Object => 0,
        _ => PgTypeId.Text,
    };

    /// <summary>The <see cref="DbType"/> that stands for a type; <see cref="DbType.Object"/> for one that none stands for.</summary>
    internal static DbType DbTypeOf(uint typeId) => typeId switch
    {
        PgTypeId.Bool => DbType.Boolean,
        PgTypeId.Int2 => DbType.Int16,
        PgTypeId.Int4 => DbType.Int32,
        PgTypeId.Int8 => DbType.Int64,
        PgTypeId.Float4 => DbType.Single,
        PgTypeId.Float8 => DbType.Double,
        PgTypeId.Numeric => DbType.Decimal,
        PgTypeId.Money => DbType.Currency,
        PgTypeId.Uuid => DbType.Guid,
        PgTypeId.Bytea => DbType.Binary,
        PgTypeId.Date => DbType.Date,
        PgTypeId.Time => DbType.Time,
        PgTypeId.Timestamp => DbType.DateTime2,
        PgTypeId.TimestampTz => DbType.DateTime,
        PgTypeId.Xml => DbType.Xml,
        PgTypeId.Text or PgTypeId.VarChar or PgTypeId.BpChar or PgTypeId.Name => DbType.String,
        _ => DbType.Object,
    };

    /// <summary>The codec of a value that is sent as another .NET type.</summary>
    internal static ObjectCodec Adapt(ref object value)
    {
        value = value switch
        {
            byte number => (short)number,
            sbyte number => (short)number,
            ushort number => (int)number,
            uint number => (long)number,
            ulong number => (decimal)number,
            Enum @enum => System.Convert.ChangeType(@enum, Enum.GetUnderlyingType(@enum.GetType()), CultureInfo.InvariantCulture),
            char[] text => new string(text),
            ReadOnlyMemory<char> text => new string(text.Span),
            Memory<char> text => new string(text.Span),
            ArraySegment<char> text => new string(text),
            IDictionary<string, string?> pairs => new Dictionary<string, string?>(pairs),
            Memory<byte> bytes => (ReadOnlyMemory<byte>)bytes,
            ArraySegment<byte> bytes => (ReadOnlyMemory<byte>)bytes,
            Stream stream => ReadToEnd(stream),
            TextReader reader => reader.ReadToEnd(),
            Array { Rank: 1 } items when Numbers(items) is { } numbers => numbers,
            IEnumerable<sbyte> items => items.Select(static number => (short)number).ToArray(),
            IEnumerable<byte> items => items.Select(static number => (short)number).ToArray(),
            IEnumerable<ReadOnlyMemory<char>> items => items.Select(static text => new string(text.Span)).ToArray(),
            IEnumerable<char[]?> items => items.Select(static text => text is null ? null : new string(text)).ToArray(),
            IEnumerable<string> items => items.ToArray(),
            IEnumerable<int> items => items.ToArray(),
            IEnumerable<long> items => items.ToArray(),
            IEnumerable<short> items => items.ToArray(),
            IEnumerable<Guid> items => items.ToArray(),
            IEnumerable<decimal> items => items.ToArray(),
            IEnumerable<double> items => items.ToArray(),
            IEnumerable<bool> items => items.ToArray(),
            IEnumerable<DateTime> items => items.ToArray(),
            IEnumerable<DateOnly> items => items.ToArray(),
            IEnumerable<byte[]> items => items.ToArray(),
            _ => value,
        };
        if (value is byte or sbyte or ushort or uint or ulong)
        {
            return Adapt(ref value);
        }

        return ObjectCodecRegistry.Find(value.GetType()) ?? throw new InvalidCastException(
            $"A parameter of type {TypeErrors.NameOf(value.GetType())} cannot be sent: there is no codec for it. " +
            "Register one with PgCodec.Register, or convert the value.");
    }

    /// <summary>
    /// The elements of an array of <c>ushort</c> or of enums as each alone is sent; null for any other. By the CLR's rule for arrays such a one is
    /// also a list of numbers of the other sign.
    /// </summary>
    private static Array? Numbers(Array items)
    {
        Type type = items.GetType().GetElementType()!;
        return type != typeof(ushort) && !type.IsEnum ? null : Type.GetTypeCode(type) switch
        {
            TypeCode.SByte or TypeCode.Byte or TypeCode.Int16 => Each(items, System.Convert.ToInt16),
            TypeCode.UInt16 or TypeCode.Int32 => Each(items, System.Convert.ToInt32),
            TypeCode.UInt32 or TypeCode.Int64 => Each(items, System.Convert.ToInt64),
            _ => Each(items, System.Convert.ToDecimal),
        };
    }

    private static T[] Each<T>(Array items, Func<object, IFormatProvider, T> convert)
        => [.. items.Cast<object>().Select(item => convert(item, CultureInfo.InvariantCulture))];

    /// <summary>Converts a value whose own type is not the declared one.</summary>
    /// <param name="value">The value; replaced.</param>
    /// <param name="codec">The codec of the value; replaced.</param>
    /// <param name="own">The type that the codec writes; 0 where the server infers it from the text.</param>
    /// <param name="target">The declared type.</param>
    /// <param name="isNamed">It was declared by its name or OID. A <see cref="DbType"/> says less: libraries name one for all moments.</param>
    /// <param name="types">The types of the database.</param>
    /// <returns>The type to send it as.</returns>
    /// <exception cref="ArgumentException">The kind of a moment does not fit the declared type.</exception>
    internal static uint Convert(ref object value, ref ObjectCodec codec, uint own, uint target, bool isNamed, TypeCatalog types)
    {
        if (target == PgTypeId.InternalChar && value is char and <= '\xff' or short and >= 0 and <= byte.MaxValue)
        {
            return Replace(ref value, ref codec, new[] { System.Convert.ToByte(value, CultureInfo.InvariantCulture) }, target);
        }

        if (VectorText(value, target) is { } vector)
        {
            value = vector;
            codec = ObjectCodecRegistry.Text;
            return target;
        }

        if (codec.Format == PgFormat.Binary && BoundElements.Bind(ref value, types.ElementOf(target), target, types) is { } elements)
        {
            codec = elements;
            return target;
        }

        bool isForeign = !PgTypeTable.Knows(target) && value is not (byte[] or ReadOnlyMemory<byte>);
        if (codec.Format == PgFormat.Binary && (isForeign || (own == PgTypeId.Jsonb && target == PgTypeId.Json)))
        {
            // A binary form names its own types; the text form is read as what the database declares.
            codec = new TextFormCodec(codec);
        }

        PgTypeKind kind = PgTypeTable.KindOf(target);
        if (value is Dictionary<string, string?> && PgTypeTable.Knows(target) && kind != PgTypeKind.Text)
        {
            // Its text is that of an hstore, which is a literal of no other type.
            throw Refused(value, target);
        }

        if (codec.Format == PgFormat.Text || !PgTypeTable.Knows(target) || HasForm(kind, own))
        {
            return target;
        }

        switch (kind)
        {
            case PgTypeKind.Int2:
                return Replace(ref value, ref codec, Number<short>(value, target), target);
            case PgTypeKind.Int4:
                return Replace(ref value, ref codec, Number<int>(value, target), target);
            case PgTypeKind.Int8:
                return Replace(ref value, ref codec, Number<long>(value, target), target);
            case PgTypeKind.UInt8:
                value = Number<ulong>(value, target);
                codec = s_xid8;
                return target;
            case PgTypeKind.Oid:
                value = Number<uint>(value, target);
                codec = s_oid;
                return target;
            case PgTypeKind.Float4:
                return Replace(ref value, ref codec, Number<float>(value, target), target);
            case PgTypeKind.Float8:
                return Replace(ref value, ref codec, Number<double>(value, target), target);
            case PgTypeKind.Numeric:
                return Replace(ref value, ref codec, Number<decimal>(value, target), target);
            case PgTypeKind.Money:
                return Replace(ref value, ref codec, Cents(Number<decimal>(value, target)), target);
            case PgTypeKind.Text when value is byte[] or ReadOnlyMemory<byte>:
                return target;
            case PgTypeKind.Json or PgTypeKind.Jsonb when value is byte[] or ReadOnlyMemory<byte>:
                return Replace(ref value, ref codec, TextOf(value), target);
            case PgTypeKind.Date when value is DateTime moment:
                return Replace(ref value, ref codec, MomentConversion.DayOf(moment), target);
            case PgTypeKind.Range or PgTypeKind.MultiRange when MomentConversion.Convert(value, target) is var days && !ReferenceEquals(days, value):
                value = days;
                codec = ObjectCodecRegistry.Find(days.GetType())!; // Ranges of dates are built in.
                return target;
            case PgTypeKind.Bits when value is bool isSet:
                return Replace(ref value, ref codec, new BitArray([isSet]), target);
            case PgTypeKind.TimeTz when value is DateTimeOffset moment:
                return Replace(
                    ref value, ref codec,
                    new PgTimeTz(moment.TimeOfDay.Ticks / TimeSpan.TicksPerMicrosecond, (int)moment.Offset.TotalSeconds), target);
            case PgTypeKind.Time when value is TimeSpan time:
                return Replace(ref value, ref codec, MomentConversion.TimeOf(time), target);
            case PgTypeKind.Timestamp or PgTypeKind.TimestampTz when value is DateTime or DateTimeOffset or PgTimestamp:
                // The kind decides between the two. The extremes are infinities of either type.
                return value is DateTime { Ticks: var ticks } && (ticks == DateTime.MaxValue.Ticks || ticks == DateTime.MinValue.Ticks)
                    ? target
                    : !isNamed ? own
                    : throw Refused(value, own, target);
            default:
                throw Refused(value, own, target);
        }
    }

    /// <summary>The text of an int2vector or oidvector; null: the declared type is neither, or the value does not fit it.</summary>
    /// <remarks>The types are compared as such, because an <c>int[]</c> counts as a sequence of <c>uint</c>.</remarks>
    private static string? VectorText(object value, uint target) => target switch
    {
        PgTypeId.Int2Vector when value.GetType() == typeof(short[]) || value is List<short> => string.Join(' ', (IEnumerable<short>)value),
        PgTypeId.OidVector when value.GetType() == typeof(uint[]) || value is List<uint> => string.Join(' ', (IEnumerable<uint>)value),
        _ => null,
    };

    /// <summary>Types of one kind share a binary form, unless the form names the type of its elements.</summary>
    private static bool HasForm(PgTypeKind kind, uint own)
        => kind == PgTypeTable.KindOf(own) && kind is not (PgTypeKind.None or PgTypeKind.Array or PgTypeKind.Range or PgTypeKind.MultiRange);

    private static uint Replace<T>(ref object value, ref ObjectCodec codec, T converted, uint target)
        where T : notnull
    {
        value = converted;
        codec = ObjectCodecRegistry.Find(typeof(T))!; // Each of these types is built in.
        return target;
    }

    private static T Number<T>(object value, uint target)
        where T : struct, INumberBase<T>
        => value switch
        {
            short number => T.CreateChecked(number),
            int number => T.CreateChecked(number),
            long number => T.CreateChecked(number),
            float number => T.CreateChecked(number),
            double number => T.CreateChecked(number),
            decimal number => T.CreateChecked(number),
            BigInteger number => T.CreateChecked(number),
            PgNumeric number => T.CreateChecked((decimal)number),
            _ => throw Refused(value, target),
        };

    private static long Cents(decimal amount) => decimal.ToInt64(decimal.Round(amount * MoneyUnits, MidpointRounding.AwayFromZero));

    /// <exception cref="ArgumentException">It is not UTF-8.</exception>
    private static string TextOf(object bytes)
        => s_utf8.GetString(bytes is byte[] array ? array : ((ReadOnlyMemory<byte>)bytes).Span);

    private static byte[] ReadToEnd(Stream stream)
    {
        using var copy = new MemoryStream();
        stream.CopyTo(copy);
        return copy.ToArray();
    }

    private static SystemException Refused(object value, uint own, uint target)
        => MomentConversion.IsOfOtherKind(value.GetType(), own, target)
            ? MomentConversion.OtherKind(value.GetType(), own, target)
            : Refused(value, target);

    private static InvalidCastException Refused(object value, uint target)
        => new($"A parameter of type {TypeErrors.NameOf(value.GetType())} cannot be sent as {PgTypeTable.NameOf(target)}. " +
            "Convert the value, or leave the type of the parameter to it.");
}
