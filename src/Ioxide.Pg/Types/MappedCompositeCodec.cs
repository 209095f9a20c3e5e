using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using Ioxide.Pg.Data;

namespace Ioxide.Pg;

/// <summary>
/// A composite whose fields are the parameters of a constructor, each with a property of the same name, and properties that can be set. In a database
/// the names of its fields choose the constructor, and the properties for those that it does not take; elsewhere the longest one is taken, or,
/// where none has parameters, all properties that can be set.
/// </summary>
internal sealed class MappedCompositeCodec<[DynamicallyAccessedMembers(Members)] T> : PgCompositeCodec<T>
{
    internal const DynamicallyAccessedMemberTypes Members =
        DynamicallyAccessedMemberTypes.PublicConstructors | DynamicallyAccessedMemberTypes.PublicProperties;

    private readonly ConstructorInvoker? _make;
    private readonly int _argumentCount;
    private readonly Member[] _members;
    private readonly int[] _order;
    private readonly TypeCatalog _types = TypeCatalog.Empty;
    private ObjectCodec[]? _codecs;

    /// <param name="Property">Where the value is read from, and set where no constructor takes it.</param>
    /// <param name="Type">The type of its value, not nullable.</param>
    /// <param name="TakesNull">Whether it can be null.</param>
    private sealed record Member(PropertyInfo Property, Type Type, bool TakesNull);

    internal MappedCompositeCodec()
    {
        ConstructorInfo[] constructors = Constructors();
        PropertyInfo[] properties = typeof(T).GetProperties();
        if (constructors.Length == 0 && !typeof(T).IsValueType)
        {
            throw new ArgumentException(
                $"{typeof(T).Name} has no public constructor. Give it one without parameters, or with one for each field of the composite.");
        }

        ConstructorInfo? constructor = constructors.FirstOrDefault(static candidate => candidate.GetParameters().All(HasProperty));
        if (constructor is null && constructors.Length > 0)
        {
            ParameterInfo missing = constructors[0].GetParameters().First(static parameter => !HasProperty(parameter));
            throw new ArgumentException($"{typeof(T).Name} has no property for the parameter '{missing.Name}' of its constructor.");
        }

        Member[] arguments = ArgumentsOf(constructor);
        _make = constructor is null ? null : ConstructorInvoker.Create(constructor);
        _argumentCount = arguments.Length;
        _members = arguments.Length > 0
            ? arguments
            : [.. properties.Where(CanSet).Select(static property => MemberOf(property, property.PropertyType))];
        _order = [.. Enumerable.Range(0, _members.Length)];
        if (_members.Length == 0)
        {
            throw new ArgumentException(
                $"{typeof(T).Name} has neither a constructor with a parameter for each field of the composite nor properties that can be set.");
        }
    }

    private MappedCompositeCodec(TypeCatalog types, ConstructorInvoker? make, int argumentCount, Member[] members, int[] order)
    {
        _types = types;
        _make = make;
        _argumentCount = argumentCount;
        _members = members;
        _order = order;
    }

    // Looked up on first use, because the type of a field may be mapped later.
    private ObjectCodec[] Codecs => _codecs ??= [.. _order.Select(index => CodecOf(_members[index].Type))];

    /// <summary>
    /// Fields find their members by name: the longest constructor whose parameters are all fields takes them, and properties the rest. A field that
    /// finds none leaves all to the order of the members.
    /// </summary>
    internal override PgCodec<T> ForDatabase(TypeCatalog types, string[] fields)
    {
        foreach (ConstructorInfo constructor in Constructors())
        {
            if (TryMembers(constructor, fields, out Member[] members, out int[] order))
            {
                int argumentCount = constructor.GetParameters().Length;
                return new MappedCompositeCodec<T>(types, ConstructorInvoker.Create(constructor), argumentCount, members, order);
            }
        }

        return TryMembers(null, fields, out Member[] settable, out int[] places) && typeof(T).IsValueType
            ? new MappedCompositeCodec<T>(types, null, 0, settable, places)
            : new MappedCompositeCodec<T>(types, _make, _argumentCount, _members, _order);
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

        // A struct stays boxed until all properties are set. One without a constructor has its default.
        object made = _make is null ? default(T)! : _argumentCount > 0 ? _make.Invoke(values.AsSpan(0, _argumentCount)) : _make.Invoke();
        for (int index = _argumentCount; index < values.Length; index++)
        {
            _members[index].Property.SetValue(made, values[index]);
        }

        return (T)made;
    }

    /// <summary>The members of a composite's fields; false: a parameter is no field, or a field finds no member.</summary>
    /// <param name="constructor">What makes the value; null for a struct.</param>
    /// <param name="fields">The names of the fields.</param>
    /// <param name="members">The parameters in their order, then the properties.</param>
    /// <param name="order">For each field the index of its member.</param>
    private static bool TryMembers(ConstructorInfo? constructor, string[] fields, out Member[] members, out int[] order)
    {
        members = [];
        order = [];
        ParameterInfo[] parameters = constructor?.GetParameters() ?? [];
        if (!parameters.All(parameter => HasProperty(parameter) && Array.Exists(fields, field => IsNameOf(parameter.Name!, field))))
        {
            return false;
        }

        PropertyInfo[] properties = typeof(T).GetProperties();
        var found = new List<Member>(ArgumentsOf(constructor));
        int[] places = new int[fields.Length];
        for (int i = 0; i < fields.Length; i++)
        {
            string field = fields[i];
            int place = Array.FindIndex(parameters, parameter => IsNameOf(parameter.Name!, field));
            if (place < 0)
            {
                if (Array.Find(properties, property => IsNameOf(property.Name, field) && CanSet(property)) is not { } property)
                {
                    return false;
                }

                place = found.Count;
                found.Add(MemberOf(property, property.PropertyType));
            }

            places[i] = place;
        }

        members = [.. found];
        order = places;
        return places.Distinct().Count() == places.Length && members.Length == places.Length;
    }

    /// <summary>Those that are public, the longest first.</summary>
    private static ConstructorInfo[] Constructors()
        => [.. typeof(T).GetConstructors().OrderByDescending(static constructor => constructor.GetParameters().Length)];

    // Every parameter was found to have a property.
    private static Member[] ArgumentsOf(ConstructorInfo? constructor)
        => [.. (constructor?.GetParameters() ?? []).Select(static parameter => MemberOf(PropertyOf(parameter)!, parameter.ParameterType))];

    private static bool HasProperty(ParameterInfo parameter) => PropertyOf(parameter) is not null;

    private static PropertyInfo? PropertyOf(ParameterInfo parameter)
        => Array.Find(
            typeof(T).GetProperties(), property => property.Name.Equals(parameter.Name, StringComparison.OrdinalIgnoreCase) && property.CanRead);

    private static bool CanSet(PropertyInfo property) => property.CanRead && property.SetMethod is { IsPublic: true };

    private static Member MemberOf(PropertyInfo property, Type type)
        => new(property, Nullable.GetUnderlyingType(type) ?? type, !type.IsValueType || Nullable.GetUnderlyingType(type) is not null);

    private static bool IsNameOf(string member, string field)
        => MappedType.SnakeCase(member) == field || member.Equals(field, StringComparison.OrdinalIgnoreCase);

    private ObjectCodec CodecOf(Type type)
        => (_types.TryFind(type, out (uint TypeId, ObjectCodec? Codec) found) ? found.Codec : null) ?? ObjectCodecRegistry.Find(type)
            ?? throw new PgTypeException(
            $"A field of {typeof(T).Name} is of type {TypeErrors.NameOf(type)}, which has no codec. Map it too.");
}
