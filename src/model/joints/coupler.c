/* Couplers of joint coordinates; docs/theory/joints.md (20). */
#include "coupler.h"

static tp_status check_term(const tp_coupler *coupler, int i, const tp_joint *joints, int joint_count,
                            const char *name, tp_place place, tp_message *message)
{
    double coefficient = coupler->coefficient[i];
    int joint = coupler->joint[i], coordinate = coupler->coordinate[i];
    if (!isfinite(coefficient) || coefficient == 0.0) {
        return tp_fail_at(message, TP_INVALID_DATA, place,
                          "coupler '%s': coefficient %d is %g; it must be a number other than 0", name, i + 1,
                          coefficient);
    }
    if (joint < 0 || joint >= joint_count) {
        return tp_fail_at(message, TP_INVALID_DATA, place, "coupler '%s': there is no joint %d", name, joint);
    }
    const tp_joint_info *info = tp_joint_kind_info(joints[joint].kind);
    if (coordinate < 0 || coordinate >= joints[joint].coordinate_count) {
        return tp_fail_at(message, TP_INVALID_DATA, place,
                          "coupler '%s': joint %d has %d coordinates (it is %s), so that number %d does not "
                          "exist",
                          name, joint, joints[joint].coordinate_count, info->name, coordinate);
    }
    for (int j = 0; j < i; j++) {
        if (coupler->joint[j] != joint || coupler->coordinate[j] != coordinate) continue;
        return tp_fail_at(message, TP_INVALID_DATA, place,
                          "coupler '%s': coordinate '%s' of joint %d occurs twice", name,
                          joints[joint].coordinate_name[coordinate], joint);
    }
    return TP_OK;
}

tp_status tp_coupler_check(const tp_coupler *coupler, const tp_joint *joints, int joint_count,
                           const char *name, tp_place place, tp_message *message)
{
    if (coupler->count < 1 || coupler->count > TP_COUPLER_TERMS) {
        return tp_fail_at(message, TP_INVALID_DATA, place, "coupler '%s' has %d terms; it may have 1 to %d",
                          name, coupler->count, TP_COUPLER_TERMS);
    }
    if (!isfinite(coupler->offset)) {
        return tp_fail_at(message, TP_INVALID_DATA, place, "coupler '%s': the offset is not finite", name);
    }
    for (int i = 0; i < coupler->count; i++) {
        TP_TRY(check_term(coupler, i, joints, joint_count, name, place, message));
    }
    return TP_OK;
}
