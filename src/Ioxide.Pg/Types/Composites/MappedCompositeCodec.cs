using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using Ioxide.Pg.Data;

namespace Ioxide.Pg;

/// <summary>
/// A composite whose fields are the parameters of a constructor, each with a property of the same name, or else the settable properties of a
/// class without such a constructor.
/// </summary>
internal sealed class MappedCompositeCodec<[DynamicallyAccessedMembers(Members)] T> : PgCompositeCodec<T>
{
    internal const DynamicallyAccessedMemberTypes Members =
        DynamicallyAccessedMemberTypes.PublicConstructors | DynamicallyAccessedMemberTypes.PublicProperties;

    private readonly ConstructorInvoker? _make;
    private readonly bool _takesValues;
    private readonly Member[] _members;
    private readonly int[] _order;
    private readonly TypeCatalog _types = TypeCatalog.Empty;
    private ObjectCodec[]? _codecs;

    private sealed record Member(PropertyInfo Property, Type Type, bool TakesNull);

    internal MappedCompositeCodec()
    {
        ConstructorInfo? constructor = typeof(T).GetConstructors().MaxBy(static candidate => candidate.GetParameters().Length);
        ParameterInfo[] parameters = constructor?.GetParameters() ?? [];
        PropertyInfo[] properties = typeof(T).GetProperties();
        if (constructor is null && !typeof(T).IsValueType)
        {
            throw new ArgumentException(
                $"{typeof(T).Name} has no public constructor. Give it one without parameters, or with one for each field of the composite.");
        }

        _make = constructor is null ? null : ConstructorInvoker.Create(constructor);
        _takesValues = parameters.Length > 0;
        _members = _takesValues
            ? [.. parameters.Select(parameter => MemberOf(
                Array.Find(properties, property => property.Name.Equals(parameter.Name, StringComparison.OrdinalIgnoreCase) && property.CanRead)
                    ?? throw new ArgumentException($"{typeof(T).Name} has no property for the parameter '{parameter.Name}' of its constructor."),
                parameter.ParameterType))]
            : [.. properties.Where(static property => property.CanRead && property.SetMethod is { IsPublic: true })
                .Select(static property => MemberOf(property, property.PropertyType))];
        _order = [.. Enumerable.Range(0, _members.Length)];
        if (_members.Length == 0)
        {
            throw new ArgumentException(
                $"{typeof(T).Name} has neither a constructor with a parameter for each field of the composite nor properties that can be set.");
        }
    }

    private MappedCompositeCodec(MappedCompositeCodec<T> codec, TypeCatalog types, int[] order)
    {
        _make = codec._make;
        _takesValues = codec._takesValues;
        _members = codec._members;
        _types = types;
        _order = order;
    }

    // Looked up on first use, because the type of a field may be mapped later.
    private ObjectCodec[] Codecs => _codecs ??= [.. _order.Select(index => CodecOf(_members[index].Type))];

    /// <summary>Fields find their members by name. One that finds none leaves all to the order of the members.</summary>
    internal override PgCodec<T> ForDatabase(TypeCatalog types, string[] fields)
    {
        int[] order = [.. fields.Select(field => Array.FindIndex(_members, member => IsNameOf(member, field)))];
        bool fits = order.All(static index => index >= 0) && order.Distinct().Count() == order.Length
            && (!_takesValues || order.Length == _members.Length);
        return new MappedCompositeCodec<T>(this, types, fits ? order : _order);
    }

    protected override void Write(T value, ref PgCompositeWriter writer)
    {
        ObjectCodec[] codecs = Codecs;
        for (int i = 0; i < codecs.Length; i++)
        {
            writer.Write(codecs[i], _members[_order[i]].Property.GetValue(value));
        }
    }

    protected override T Read(ref PgCompositeReader reader)
    {
        ObjectCodec[] codecs = Codecs;
        object?[] values = new object?[_members.Length];
        for (int i = 0; i < codecs.Length; i++)
        {
            Member member = _members[_order[i]];
            object? value = values[_order[i]] = reader.Read(codecs[i]);
            if (value is null && !member.TakesNull)
            {
                throw new PgTypeException($"The field '{member.Property.Name}' of {typeof(T).Name} is NULL. Make its type nullable.");
            }
        }

        return _takesValues ? (T)_make!.Invoke(values.AsSpan()) : WithProperties(values); // A constructor takes them.
    }

    private static Member MemberOf(PropertyInfo property, Type type)
        => new(property, Nullable.GetUnderlyingType(type) ?? type, !type.IsValueType || Nullable.GetUnderlyingType(type) is not null);

    private static bool IsNameOf(Member member, string field)
        => MappedType.SnakeCase(member.Property.Name) == field || member.Property.Name.Equals(field, StringComparison.OrdinalIgnoreCase);

    private ObjectCodec CodecOf(Type type)
        => (_types.TryFind(type, out (uint TypeId, ObjectCodec? Codec) found) ? found.Codec : null) ?? ValueCodecs.Find(type)
            ?? throw new PgTypeException(
            $"A field of {typeof(T).Name} is of type {TypeErrors.NameOf(type)}, which has no codec. Map it too.");

    private T WithProperties(object?[] values)
    {
        // A struct stays boxed until all properties are set.
        object made = _make?.Invoke() ?? default(T)!; // Without a constructor it is a struct.
        foreach (int index in _order)
        {
            _members[index].Property.SetValue(made, values[index]);
        }

        return (T)made;
    }
}
